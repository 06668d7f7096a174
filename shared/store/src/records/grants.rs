//! A grant is the right to use a product. It is stored under the digest of its access token, not under the token.

use crate::table::prelude::*;
use registry_model::{Grant, TokenDigest};

impl Store {
    pub async fn grant(&self, token: &TokenDigest) -> Result<Option<Grant>> {
        let item = self.read(&keys::GRANT.of(token), Consistency::Strong).await?;
        item.filter(|item| item.contains_key("grant")).map(|item| blob(&item, "grant")).transpose()
    }

    /// Revokes the grant of a token; false where there was none.
    pub async fn revoke_grant(&self, token: &TokenDigest) -> Result<bool> {
        let change = revocation().if_present("grant");
        Ok(self.transact(Transaction::updating(keys::GRANT.of(token), change)).await?.is_written())
    }
}

/// Removes the grant of a token and leaves a mark, so that an import of an older export does not bring it back.
pub(crate) fn revocation() -> Expression {
    Expression::default().set("revoked", yes()).remove("grant").remove("ttl")
}

pub(crate) fn to_item(grant: &Grant, token: &TokenDigest) -> Result<Item> {
    Ok(keys::GRANT.of(token).with([("grant", to_blob(grant)?)]))
}
