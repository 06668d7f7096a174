//! How the registry stood at each full hour, for speeds and curves. An hour's item is put once, whoever comes first, so
//! that ticks delivered twice leave one sample; all of them share a partition, so that one query reads the latest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::attributes::{Item, n, s, text};
use super::client::Store;
use super::error::StoreError;
use super::keys;
use registry_model::Moment;

/// A sample is kept for so many days.
const KEPT_DAYS: i64 = 40;

/// How the registry stood at an hour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EconomySample {
    /// When it was taken.
    pub at: Moment,
    /// The acceleration index.
    pub acceleration_index: f64,
    /// The weighted events of an hour, over the day before.
    pub rate: f64,
    /// The fastest such rate since samples are taken.
    pub fastest_rate: f64,
    /// How often each event had happened since the table exists.
    pub events: BTreeMap<String, u64>,
    /// What there was.
    pub counts: SampledCounts,
}

/// What there is of everything that grows. Samples of before lack what was not counted yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SampledCounts {
    /// Live listings.
    pub listings: u64,
    /// Marks left on trails.
    pub trails: u64,
    /// Pairs that were used together.
    pub compositions: u64,
    /// Outcomes that were reported.
    pub outcomes: u64,
    /// Federation peers.
    pub federation: u64,
    /// Demos that were taken.
    pub demos: u64,
    /// Listings with a bound identity.
    pub identities: u64,
    /// Attestations that were issued.
    pub attestations: u64,
}

impl Store {
    /// Whether the hour of this moment has its sample.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn has_economy_sample(&self, at: Moment) -> Result<bool, StoreError> {
        let key = keys::economy_sample(hour(at)).item();
        let answer = self.client.get_item().table_name(&*self.table).set_key(Some(key)).send().await?;
        Ok(answer.item.is_some())
    }

    /// Keeps the sample of its hour; false where the hour has one already.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn keep_economy_sample(&self, sample: &EconomySample) -> Result<bool, StoreError> {
        let mut item = keys::economy_sample(hour(sample.at)).item();
        item.insert("sample".to_owned(), s(serde_json::to_string(sample)?));
        item.insert("ttl".to_owned(), n(sample.at.as_second() + KEPT_DAYS * 86_400));
        self.put_once(item).await
    }

    /// The latest samples, the newest first.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn economy_samples(&self, limit: u32) -> Result<Vec<EconomySample>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :economy")
            .expression_attribute_values(":economy", s(keys::ECONOMY))
            .scan_index_forward(false)
            .limit(i32::try_from(limit).unwrap_or(i32::MAX))
            .send()
            .await?;
        answer.items.unwrap_or_default().iter().map(read).collect()
    }
}

fn read(item: &Item) -> Result<EconomySample, StoreError> {
    Ok(serde_json::from_str(text(item, "sample"))?)
}

/// The full hour that a moment lies in.
fn hour(at: Moment) -> Moment {
    Moment::from_second(at.as_second().div_euclid(3600) * 3600).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_of_an_hour_has_the_same_sample() {
        let key = |text: &str| keys::economy_sample(hour(text.parse().unwrap()));
        assert_eq!(key("2026-11-20T12:00:00Z"), key("2026-11-20T12:59:59.999Z"));
        assert_ne!(key("2026-11-20T12:59:59.999Z"), key("2026-11-20T13:00:00Z"));
    }
}
