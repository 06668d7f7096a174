//! The private keys of the registry: the keys for attestations, the key of the evidence log, and the key for HTTP
//! messages. They are in separate partitions. Policies give access to these partitions only to the functions that sign.

use serde::{Deserialize, Serialize};

use super::attributes::Item;
use super::client::Store;
use super::error::StoreError;
use super::keys::Key;
use registry_model::Moment;

const PARTITION: &str = "KEY#ES256";
const LOG_PARTITION: &str = "KEY#LOG";
const MESSAGE_PARTITION: &str = "KEY#MESSAGE";
const FIRST: &str = "FIRST";

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredKey {
    pub kid: String,
    /// The private half: base64url, or the form of signed notes for the key of the log. For a key in a key service, it is
    /// `service:` and the id of the key there.
    pub secret: String,
    /// The public half of a key in a key service: a DER `SubjectPublicKeyInfo`, base64url.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<String>,
    pub made_at: Moment,
}

impl Store {
    pub async fn signing_keys(&self) -> Result<Vec<StoredKey>, StoreError> {
        let items = self.partition(PARTITION).await?;
        items.into_iter().map(|item| Ok(serde_dynamo::from_item(item)?)).collect()
    }

    /// Stores a further key for attestations.
    pub async fn keep_signing_key(&self, key: &StoredKey) -> Result<(), StoreError> {
        self.put_new_key(PARTITION, &key.kid, key).await
    }

    /// Stores the first key for attestations, unless another process has stored one.
    pub async fn keep_first_signing_key(&self, key: &StoredKey) -> Result<(), StoreError> {
        self.put_new_key(PARTITION, FIRST, key).await
    }

    pub async fn log_key(&self) -> Result<Option<StoredKey>, StoreError> {
        self.first_key(LOG_PARTITION).await
    }

    /// Stores the key of the evidence log, unless another process has stored one.
    pub async fn keep_log_key(&self, key: &StoredKey) -> Result<(), StoreError> {
        self.put_new_key(LOG_PARTITION, FIRST, key).await
    }

    pub async fn message_key(&self) -> Result<Option<StoredKey>, StoreError> {
        self.first_key(MESSAGE_PARTITION).await
    }

    /// Stores the key that signs HTTP messages, unless another process has stored one.
    pub async fn keep_message_key(&self, key: &StoredKey) -> Result<(), StoreError> {
        self.put_new_key(MESSAGE_PARTITION, FIRST, key).await
    }

    async fn first_key(&self, partition: &str) -> Result<Option<StoredKey>, StoreError> {
        let first = self.partition(partition).await?.into_iter().next();
        Ok(first.map(serde_dynamo::from_item).transpose()?)
    }

    async fn put_new_key(&self, partition: &str, sort: &str, key: &StoredKey) -> Result<(), StoreError> {
        let mut item: Item = serde_dynamo::to_item(key)?;
        item.extend(Key::new(partition, sort).item());
        self.put_new(item).await.map(drop)
    }
}
