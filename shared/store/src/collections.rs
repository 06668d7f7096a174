//! Collections of servers. All of them share a partition, by name, because they are few.

use super::prelude::*;
use registry_model::Collection;

/// Collections that are listed.
const MAX_LISTED: usize = 200;

impl Store {
    pub async fn collection(&self, name: &str) -> Result<Option<Collection>> {
        self.read_blob(&keys::collection(name), "collection").await
    }

    pub async fn collections(&self) -> Result<Vec<Collection>> {
        self.query_blobs(Query::of(keys::COLLECTIONS).limit(MAX_LISTED), "collection").await
    }

    /// How many collections have names that begin so.
    pub async fn count_collections(&self, prefix: String) -> Result<u32> {
        let below = Query::of(keys::COLLECTIONS).range(Range::Prefix(prefix)).strong();
        Ok(self.count(below).await?.0)
    }

    /// Publishes a collection, over an earlier one of this name.
    pub async fn put_collection(&self, collection: &Collection) -> Result<()> {
        let key = keys::collection(&collection.name);
        self.put(key.with([("collection", to_blob(collection)?)])).await
    }

    pub async fn remove_collection(&self, name: &str) -> Result<()> {
        self.delete(&keys::collection(name)).await.map(drop)
    }
}
