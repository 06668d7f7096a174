//! The registry's private keys, in a partition that policies grant only to what signs.

use serde::{Deserialize, Serialize};

use super::attributes::Item;
use super::client::Store;
use super::error::StoreError;
use super::keys::Key;
use crate::model::Moment;

const PARTITION: &str = "KEY#ES256";
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
        let mut item: Item = serde_dynamo::to_item(key)?;
        item.extend(Key::new(PARTITION, FIRST).item());
        self.put_once(item).await.map(drop)
    }
}
