//! For how long a Live listing has been due for its recheck, so that an alarm sees a recheck that lags. Read from the
//! first row of each class of the recheck: the rows stand in the order of their due times.

use std::time::Duration;

use super::attributes::{s, text};
use super::client::Store;
use super::due_class::DueClass;
use super::error::StoreError;
use super::{keys, table};
use registry_model::Moment;

impl Store {
    /// For how long the longest waiting Live listing has been due; zero where none is. What is being asked at this
    /// moment does not wait.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn oldest_overdue_recheck(&self, now: Moment) -> Result<Duration, StoreError> {
        let [confirming, weekly] = DueClass::OF_A_RECHECK;
        let (confirming, weekly) = futures::try_join!(self.first_due(confirming), self.first_due(weekly))?;
        let waited = [confirming, weekly].into_iter().flatten().map(|due| now.duration_since(due));
        Ok(waited.max().and_then(|waited| waited.try_into().ok()).unwrap_or_default())
    }

    /// When the first listing of a class is due.
    async fn first_due(&self, class: DueClass) -> Result<Option<Moment>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .index_name(table::DUE.name)
            .key_condition_expression("gsi2pk = :class")
            .expression_attribute_values(":class", s(class.partition()))
            .limit(1)
            .send()
            .await?;
        let first = answer.items.unwrap_or_default();
        Ok(first.first().and_then(|item| keys::time_of(text(item, "gsi2sk"))))
    }
}
