//! Collections of servers. All of them share a partition, by name, because they are few.

use super::attributes::{blob, blobs, to_blob};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::keys;
use super::reads::Query;
use super::transaction::Transaction;
use registry_model::Collection;

/// Collections that are listed.
const MAX_LISTED: usize = 200;

impl Store {
    pub async fn collection(&self, name: &str) -> Result<Option<Collection>, StoreError> {
        let item = self.read(&keys::collection(name), Consistency::Strong).await?;
        item.map(|item| blob(&item, "collection")).transpose()
    }

    pub async fn collections(&self) -> Result<Vec<Collection>, StoreError> {
        let page = self.query(Query::of(keys::COLLECTIONS).limit(MAX_LISTED)).await?;
        blobs(&page.items, "collection")
    }

    /// Publishes a collection, over an earlier one of this name.
    pub async fn put_collection(&self, collection: &Collection) -> Result<(), StoreError> {
        let key = keys::collection(&collection.name);
        self.put(key.with([("collection", to_blob(collection)?)])).await
    }

    pub async fn remove_collection(&self, name: &str) -> Result<(), StoreError> {
        let mut transaction = Transaction::default();
        transaction.delete(keys::collection(name));
        self.transact(transaction).await.map(|_| ())
    }
}
