//! The statistics of the network: one item, which each hourly count replaces.

use super::attributes::{blob, to_blob};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::keys;
use registry_model::NetworkStatistics;

impl Store {
    /// The statistics of the last count, by one read; `None` before the first count.
    pub async fn network_statistics(&self) -> Result<Option<NetworkStatistics>, StoreError> {
        let item = self.read(&keys::network_statistics(), Consistency::Eventual).await?;
        item.map(|item| blob(&item, "statistics")).transpose()
    }

    pub async fn keep_network_statistics(&self, statistics: &NetworkStatistics) -> Result<(), StoreError> {
        self.put(keys::network_statistics().with([("statistics", to_blob(statistics)?)])).await
    }
}
