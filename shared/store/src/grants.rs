//! A grant is the right to use a product. It is stored under the digest of its access token; the token itself
//! is not stored.

use super::attributes::{Item, blob, to_blob};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::keys;
use registry_model::{Grant, TokenDigest};

impl Store {
    pub async fn grant(&self, token: &TokenDigest) -> Result<Option<Grant>, StoreError> {
        let item = self.read(&keys::grant(token), Consistency::Strong).await?;
        item.map(|item| blob(&item, "grant")).transpose()
    }

    /// Revokes the grant of a token; false where there was none.
    pub async fn revoke_grant(&self, token: &TokenDigest) -> Result<bool, StoreError> {
        self.delete(&keys::grant(token)).await
    }
}

pub(super) fn to_item(grant: &Grant, token: &TokenDigest) -> Result<Item, StoreError> {
    Ok(keys::grant(token).with([("grant", to_blob(grant)?)]))
}
