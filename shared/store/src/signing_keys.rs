//! The registry's private keys, in partitions that policies grant only to what signs: those of what it attests, the one
//! of its log of evidence, and the one of its HTTP messages.

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

/// A private key as it is stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptKey {
    /// Its id.
    pub kid: String,
    /// The scalar, base64url.
    pub secret: String,
    /// When it was made.
    pub made_at: Moment,
}

impl Store {
    /// All stored keys.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn signing_keys(&self) -> Result<Vec<KeptKey>, StoreError> {
        let items = self.partition(PARTITION).await?;
        items.into_iter().map(|item| Ok(serde_dynamo::from_item(item)?)).collect()
    }

    /// Stores a further key.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn keep_signing_key(&self, key: &KeptKey) -> Result<(), StoreError> {
        let mut item: Item = serde_dynamo::to_item(key)?;
        item.extend(Key::new(PARTITION, &key.kid).item());
        self.put_once(item).await.map(drop)
    }

    /// Stores the first key, unless another process did so meanwhile.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn keep_first_signing_key(&self, key: &KeptKey) -> Result<(), StoreError> {
        self.keep_first(PARTITION, key).await
    }

    /// The key of the log of evidence.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn log_key(&self) -> Result<Option<KeptKey>, StoreError> {
        let first = self.partition(LOG_PARTITION).await?.into_iter().next();
        Ok(first.map(serde_dynamo::from_item).transpose()?)
    }

    /// Stores the key of the log, unless another process did so meanwhile.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn keep_log_key(&self, key: &KeptKey) -> Result<(), StoreError> {
        self.keep_first(LOG_PARTITION, key).await
    }

    /// The key that signs HTTP messages.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn message_key(&self) -> Result<Option<KeptKey>, StoreError> {
        let first = self.partition(MESSAGE_PARTITION).await?.into_iter().next();
        Ok(first.map(serde_dynamo::from_item).transpose()?)
    }

    /// Stores the key that signs HTTP messages, unless another process did so meanwhile.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn keep_message_key(&self, key: &KeptKey) -> Result<(), StoreError> {
        self.keep_first(MESSAGE_PARTITION, key).await
    }

    async fn keep_first(&self, partition: &str, key: &KeptKey) -> Result<(), StoreError> {
        let mut item: Item = serde_dynamo::to_item(key)?;
        item.extend(Key::new(partition, FIRST).item());
        self.put_once(item).await.map(drop)
    }
}
