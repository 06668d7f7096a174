//! Collections of servers. All of them share a partition, by name, because they are few.

use crate::table::prelude::*;
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

    /// How many collections have names that begin so, and how many were ever added to them.
    pub async fn count_collections(&self, prefix: &str) -> Result<(u32, i64)> {
        let added = self.read(&keys::collections_added(prefix), Consistency::Strong).await?;
        let below = Query::of(keys::COLLECTIONS).range(Range::Prefix(prefix.to_owned())).strong();
        Ok((self.count(below).await?.0, added.map_or(0, |item| number(&item, "added"))))
    }

    /// Publishes a collection, over an earlier one of this name.
    pub async fn put_collection(&self, collection: &Collection) -> Result<()> {
        self.put(item(collection)?).await
    }

    /// Publishes a collection over an earlier one; false if there is none of this name.
    pub async fn replace_collection(&self, collection: &Collection) -> Result<bool> {
        self.put_if(item(collection)?, "attribute_exists(pk)").await
    }

    /// Publishes a new collection; false if another was added to this prefix after [`Self::count_collections`] was read.
    pub async fn add_collection(&self, collection: &Collection, prefix: &str, added: i64) -> Result<bool> {
        let one_more = Expression::default().add("added", 1).if_missing_or("added", "=", n(added));
        let mut transaction = Transaction::updating(keys::collections_added(prefix), one_more);
        transaction.put(item(collection)?);
        Ok(self.transact(transaction).await?.is_written())
    }

    pub async fn remove_collection(&self, name: &str) -> Result<()> {
        self.delete(&keys::collection(name)).await.map(drop)
    }
}

fn item(collection: &Collection) -> Result<Item> {
    Ok(keys::collection(&collection.name).with([("collection", to_blob(collection)?)]))
}
