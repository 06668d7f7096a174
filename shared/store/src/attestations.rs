//! What is kept of signed statements, by the listing that they speak of: enough to tell which count, and to revoke one.
//! They leave the table a day after they have expired, when nothing depends on them any more.

use super::attributes::{Item, n, s, text};
use super::client::Store;
use super::deposit::Deposit;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::rates::{Allowance, UsedUp};
use super::transaction::{Outcome, Transaction};
use registry_model::{
    AttestationId, AttestationRecord, Kind, ListingId, LogEntry, LogEvent, Moment, Revocation, TrailEvent,
    sha256_hex,
};

/// Seconds that a record outlives its statement.
const KEPT_AFTER: i64 = 86_400;

impl Store {
    /// Keeps the record of a statement, counts it and leaves its leaf in the log of evidence; or says whose allowance is
    /// used up. `jws` is the token, of which only the digest is kept.
    ///
    /// # Errors
    /// The table is busy or refused; then the statement must not leave the house.
    pub async fn keep_attestation(
        &self,
        record: &AttestationRecord,
        kind: Kind,
        jws: &str,
        act: Option<&Allowance<'_>>,
    ) -> Result<Option<UsedUp>, StoreError> {
        let mut transaction = Transaction::default();
        let mut item = keys::attestation(&record.listing_id, record.id.as_str()).item();
        item.insert("attestation".to_owned(), s(serde_json::to_string(record)?));
        item.insert("ttl".to_owned(), n(record.expires_at.as_second() + KEPT_AFTER));
        self.put(&mut transaction, item, Some("attribute_not_exists(pk)"))?;
        let (at, listing_id) = (record.issued_at, &record.listing_id);
        self.deposit(&mut transaction, &Deposit::of(listing_id, TrailEvent::Attestation), at)?;
        let mut leaf = LogEntry::new(at, listing_id, kind, LogEvent::Attested);
        leaf.evidence = Some(sha256_hex(jws));
        leaf.attestation_id = Some(record.id.to_string());
        self.log_entry(&mut transaction, &leaf)?;
        let allowed = act.map(|act| self.allow(&mut transaction, act, at)).transpose()?;
        match self.transact(transaction).await? {
            Outcome::Written => Ok(None),
            Outcome::Refused(positions) => match allowed.and_then(|act| act.used_up(&positions)) {
                Some(used_up) => Ok(Some(used_up)),
                None => Err(StoreError::Busy("the id of an attestation was drawn twice".to_owned())),
            },
        }
    }

    /// The record of a statement.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn attestation(
        &self,
        listing_id: &ListingId,
        id: &AttestationId,
    ) -> Result<Option<AttestationRecord>, StoreError> {
        let answer = self
            .client
            .get_item()
            .table_name(&*self.table)
            .set_key(Some(keys::attestation(listing_id, id.as_str()).item()))
            .consistent_read(true)
            .send()
            .await?;
        answer.item.as_ref().map(read).transpose()
    }

    /// The latest statements about a listing that have not expired, the newest first.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn attestations_of(
        &self,
        listing_id: &ListingId,
        limit: u32,
        now: Moment,
    ) -> Result<Vec<AttestationRecord>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :pk")
            .expression_attribute_values(":pk", s(keys::attestations(listing_id)))
            .scan_index_forward(false)
            .limit(i32::try_from(limit).unwrap_or(i32::MAX))
            .send()
            .await?;
        let records: Vec<AttestationRecord> =
            answer.items.unwrap_or_default().iter().map(read).collect::<Result<_, _>>()?;
        Ok(records.into_iter().filter(|record| record.expires_at > now).collect())
    }

    /// Revokes a statement; false where there is none, or it was revoked before.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn revoke_attestation(
        &self,
        listing_id: &ListingId,
        id: &AttestationId,
        revocation: &Revocation,
    ) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        let change = Expression::default().set("revoked", s(serde_json::to_string(revocation)?)).only_if(
            "attribute_exists(pk) AND attribute_not_exists(#revoked)",
            [("#revoked", "revoked")],
            [],
        );
        self.update(&mut transaction, &keys::attestation(listing_id, id.as_str()), &change)?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }
}

fn read(item: &Item) -> Result<AttestationRecord, StoreError> {
    let record: AttestationRecord = serde_json::from_str(text(item, "attestation"))?;
    let revoked = Some(text(item, "revoked")).filter(|text| !text.is_empty());
    let revoked: Option<Revocation> = revoked.map(serde_json::from_str).transpose()?;
    Ok(AttestationRecord { revoked, ..record })
}
