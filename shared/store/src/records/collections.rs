//! Collections of servers. All of them share a partition, by name, because they are few.

use crate::prelude::*;
use registry_model::Collection;

pub(super) const COLLECTION: Record<Collection> = Record::new("COLLECTIONS", "", "collection");
/// How many collections were ever added, by the beginning of their names.
pub(super) const ADDED: KeyPattern = KeyPattern::new("COLLECTIONS#ADDED", "");

/// Collections that are listed.
const MAX_LISTED: usize = 200;

impl Store {
    pub async fn collection(&self, name: &str) -> Result<Option<Collection>> {
        self.get(&COLLECTION, &collection_key(name)).await
    }

    pub async fn collections(&self) -> Result<Vec<Collection>> {
        self.list(&COLLECTION, COLLECTION.query().limit(MAX_LISTED)).await
    }

    /// How many collections have names that begin so, and how many were ever added to them.
    pub async fn count_collections(&self, prefix: &str) -> Result<(u32, i64)> {
        let added = self.read(&ADDED.one(prefix)).await?;
        let below = COLLECTION.query().range(Range::Prefix(prefix.to_owned())).strong();
        Ok((self.count(below).await?.0, added.map_or(0, |item| number(&item, "added"))))
    }

    /// Publishes a collection, over an earlier one of this name.
    pub async fn put_collection(&self, collection: &Collection) -> Result<()> {
        self.put(collection_item(collection)?).await
    }

    /// Publishes a collection over an earlier one; false if there is none of this name.
    pub async fn replace_collection(&self, collection: &Collection) -> Result<bool> {
        self.put_if(collection_item(collection)?, Some("attribute_exists(pk)")).await
    }

    /// Publishes a new collection; false if another was added to this prefix after [`Self::count_collections`] was read.
    pub async fn add_collection(&self, collection: &Collection, prefix: &str, added: i64) -> Result<bool> {
        let one_more = Expression::default().add("added", 1).if_missing_or("added", "=", n(added));
        let mut transaction = Transaction::updating(ADDED.one(prefix), one_more);
        transaction.put(collection_item(collection)?);
        self.commit(transaction).await
    }

    pub async fn remove_collection(&self, name: &str) -> Result<()> {
        self.delete(&collection_key(name)).await.map(drop)
    }
}

fn collection_key(name: &str) -> Key {
    COLLECTION.one(key::bounded(name))
}

fn collection_item(collection: &Collection) -> Result<Item> {
    COLLECTION.item(&collection_key(&collection.name), collection)
}
