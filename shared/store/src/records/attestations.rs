//! Records of the attestations that the registry signed about listings. The signed token itself is not stored. A record
//! is deleted one day after its attestation expires, because nothing needs the record after that.

use super::deposit::Deposit;
use super::rates::Allowance;
use super::trails;
use crate::table::prelude::*;
use registry_model::{AttestationId, AttestationRecord, Revocation, TrailEvent};

impl Store {
    /// Stores the record of an attestation, counts it and notes it for the next batch in the evidence log. After an error the
    /// token must not be returned to the caller.
    pub async fn keep_attestation(
        &self,
        record: &AttestationRecord,
        act: Option<&Allowance<'_>>,
    ) -> Result<()> {
        let (at, listing_id) = (record.issued_at, &record.listing_id);
        self.count_allowed(act.copied(), at).await?;
        let mut transaction = Transaction::default();
        // A record outlives its attestation by a day.
        let negative = ("negative", n(u8::from(record.is_negative)));
        let attributes = [("attestation", to_blob(record)?), negative, ttl(record.expires_at, 86_400)];
        transaction.put_new(keys::attestation(listing_id, record.id.as_str()).with(attributes));
        trails::deposit(&mut transaction, &[Deposit::of(listing_id, TrailEvent::Attestation)], at);
        let digest = record.jws_sha256.as_deref().unwrap_or_default();
        transaction.put(
            keys::by_time(keys::UNLOGGED_ATTESTATIONS, at, record.id.as_str()).with([("digest", s(digest))]),
        );
        match self.transact(transaction).await? {
            Outcome::Written => Ok(()),
            Outcome::Refused(_) => {
                Err(StoreError::Busy("the id of an attestation exists already".to_owned()))
            }
        }
    }

    pub async fn attestation(
        &self,
        listing_id: &ListingId,
        id: &AttestationId,
    ) -> Result<Option<AttestationRecord>> {
        let item = self.read(&keys::attestation(listing_id, id.as_str()), Consistency::Strong).await?;
        item.as_ref().map(read).transpose()
    }

    /// Of the latest attestations about a listing, those that have not expired, the newest first.
    pub async fn attestations_of(
        &self,
        listing_id: &ListingId,
        limit: u32,
        now: Moment,
    ) -> Result<Vec<AttestationRecord>> {
        let page = self.query(Query::of(keys::attestations(listing_id)).descending().limit(limit)).await?;
        let records: Vec<AttestationRecord> = page.items.iter().map(read).collect::<Result<_, _>>()?;
        Ok(records.into_iter().filter(|record| record.expires_at > now).collect())
    }

    /// Revokes an attestation; false where there is none, or it was revoked before.
    pub async fn revoke_attestation(
        &self,
        listing_id: &ListingId,
        id: &AttestationId,
        revocation: &Revocation,
    ) -> Result<bool> {
        let key = keys::attestation(listing_id, id.as_str());
        let change = Expression::default().set("revoked", to_blob(revocation)?);
        let change = change.if_exists().if_missing("revoked");
        Ok(self.transact(Transaction::updating(key, change)).await?.is_written())
    }
}

fn read(item: &Item) -> Result<AttestationRecord> {
    let record: AttestationRecord = blob(item, "attestation")?;
    let revoked = some_text(item, "revoked").map(|_| blob(item, "revoked")).transpose()?;
    Ok(AttestationRecord { revoked, is_negative: number(item, "negative") > 0, ..record })
}
