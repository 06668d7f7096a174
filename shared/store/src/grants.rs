//! Rights to products by the digest of their access token: the token itself is nowhere in the table.

use aws_sdk_dynamodb::types::ReturnValue;

use super::attributes::{Item, s, text};
use super::client::Store;
use super::error::StoreError;
use super::keys;
use super::transaction::Transaction;
use registry_model::{Grant, TokenDigest};

impl Store {
    /// What a token opens.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn grant(&self, token: &TokenDigest) -> Result<Option<Grant>, StoreError> {
        let answer = self
            .client
            .get_item()
            .table_name(&*self.table)
            .set_key(Some(keys::grant(token).item()))
            .consistent_read(true)
            .send()
            .await?;
        answer.item.map(|item| Ok(serde_json::from_str(text(&item, "grant"))?)).transpose()
    }

    /// Ends what a token opens; whether it opened anything.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn revoke_grant(&self, token: &TokenDigest) -> Result<bool, StoreError> {
        let answer = self
            .client
            .delete_item()
            .table_name(&*self.table)
            .set_key(Some(keys::grant(token).item()))
            .return_values(ReturnValue::AllOld)
            .send()
            .await?;
        Ok(answer.attributes.is_some())
    }

    /// Writes what a new token opens, as a part of a transaction.
    pub(super) fn put_grant(
        &self,
        transaction: &mut Transaction,
        token: &TokenDigest,
        grant: &Grant,
    ) -> Result<(), StoreError> {
        self.put(transaction, to_item(grant, token)?, Some("attribute_not_exists(pk)"))
    }
}

pub(super) fn to_item(grant: &Grant, token: &TokenDigest) -> Result<Item, StoreError> {
    let mut item = keys::grant(token).item();
    item.insert("grant".to_owned(), s(serde_json::to_string(grant)?));
    Ok(item)
}
