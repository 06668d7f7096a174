//! Stores a purchase before the caller is asked to pay. One transaction writes the purchase, the grant of its token, the
//! reservation of its discount code, and the request. A purchase that is never paid expires.

use super::rates::Allowance;
use super::{discounts, grants};
use crate::table::prelude::*;
use registry_model::{PaymentSession, Purchase, PurchaseId, PurchaseState, TokenDigest};

/// Seconds for which an unpaid purchase is stored after its end: the provider repeats its events for days.
const RETENTION: i64 = 30 * 86_400;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPurchase {
    pub purchase: Purchase,
    pub state: PurchaseState,
    /// Where it is paid, once the provider has answered.
    pub session: Option<PaymentSession>,
}

#[derive(Clone, Copy, Debug)]
pub struct NewPurchase<'a> {
    pub purchase: &'a Purchase,
    /// The digest that identifies repetitions of the request.
    pub repeat: &'a str,
    /// An earlier purchase of the same request that has ended.
    pub replaces: Option<&'a PurchaseId>,
    /// An earlier purchase that can no longer be paid. The new purchase may take over its reservation of the code.
    pub given_up: Option<&'a PurchaseId>,
    pub held_until: Moment,
    /// The data from which the files are made, as of today.
    pub snapshot: Option<&'a str>,
}

/// How beginning a purchase ended. Nothing is written unless it was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeginOutcome {
    Begun,
    /// The same request began one already.
    Repeated,
    /// Its discount code is held or used.
    CodeTaken,
}

impl Store {
    pub async fn purchase(&self, id: &PurchaseId) -> Result<Option<StoredPurchase>> {
        let item = self.read(&keys::PURCHASE.of(id), Consistency::Strong).await?;
        item.as_ref().map(stored).transpose()
    }

    /// The data from which the files of a purchase were made when it began.
    pub async fn purchase_snapshot(&self, id: &PurchaseId) -> Result<Option<String>> {
        let item = self.read(&keys::PURCHASE.of(id), Consistency::Strong).await?;
        Ok(item.and_then(|item| some_text(&item, "snapshot")))
    }

    /// The purchase that a request began, by the digest that identifies its repetitions.
    pub async fn repeated_purchase(&self, repeat: &str) -> Result<Option<PurchaseId>> {
        let item = self.read(&keys::REPEAT.of(repeat), Consistency::Strong).await?;
        Ok(item.and_then(|item| text(&item, "purchase_id").parse().ok()))
    }

    /// Writes a purchase with the grant of its token, and holds its code.
    pub async fn begin_purchase(
        &self,
        new: NewPurchase<'_>,
        allowance: Option<Allowance<'_>>,
    ) -> Result<BeginOutcome> {
        let NewPurchase { purchase, repeat, replaces, given_up, held_until, snapshot } = new;
        let (id, now) = (&purchase.id, purchase.grant.at);
        self.count_allowed(allowance, now).await?;
        let ttl = n(purchase.expires_at.as_second() + RETENTION);
        let mut transaction = Transaction::default();
        let pointer = Expression::default().set("purchase_id", s(id.as_str())).set("ttl", ttl.clone());
        let replaced = s(replaces.map_or("-", PurchaseId::as_str));
        let pointer = pointer.if_missing_or("purchase_id", "=", replaced);
        let mut grant = grants::to_item(&purchase.grant, &TokenDigest::of_table(&purchase.token))?;
        grant.insert("ttl".to_owned(), ttl.clone());
        let mut item = keys::PURCHASE.of(id).with([
            ("purchase", to_blob(purchase)?),
            ("state", s(PurchaseState::Pending.as_str())),
            ("ttl", ttl),
        ]);
        item.extend(snapshot.map(|text| ("snapshot".to_owned(), s(text))));
        let own_writes = [
            transaction.update(keys::REPEAT.of(repeat), pointer),
            transaction.put_new(item),
            transaction.put_new(grant),
        ];
        if let Some(code) = &purchase.code {
            let hold = discounts::hold(id, given_up, now, held_until);
            transaction.update(keys::DISCOUNT_CODE.of(code), hold);
        }
        Ok(match self.transact(transaction).await? {
            Outcome::Written => BeginOutcome::Begun,
            Outcome::Refused(refused) if own_writes.iter().any(|write| refused.includes(*write)) => {
                BeginOutcome::Repeated
            }
            Outcome::Refused(_) => BeginOutcome::CodeTaken,
        })
    }

    /// Stores where a purchase is paid; false where it was deleted, or is paid elsewhere.
    pub async fn note_session(&self, id: &PurchaseId, session: &PaymentSession) -> Result<bool> {
        let change = Expression::default()
            .set("session", s(&session.id))
            .set("checkout_url", s(&session.url))
            .if_exists()
            .if_missing_or("session", "=", s(&session.id));
        Ok(self.transact(Transaction::updating(keys::PURCHASE.of(id), change)).await?.is_written())
    }

    /// Deletes a purchase that cannot be paid because it has no session, with its grant and its hold on the code. One that
    /// has a session by now stays.
    pub async fn forget_purchase(&self, purchase: &Purchase) -> Result<()> {
        let mut transaction = Transaction::default();
        transaction.delete_if(keys::PURCHASE.of(&purchase.id), Expression::default().if_missing("session"));
        transaction.delete(keys::GRANT.of(TokenDigest::of_table(&purchase.token)));
        if let Some(code) = &purchase.code {
            transaction.update(keys::DISCOUNT_CODE.of(code), discounts::release(&purchase.id));
        }
        self.transact(transaction).await.map(drop)
    }
}

fn stored(item: &Item) -> Result<StoredPurchase> {
    let state = PurchaseState::named(text(item, "state"));
    let state = state.ok_or_else(|| StoreError::Fault("a purchase has no state".to_owned()))?;
    let url = text(item, "checkout_url").to_owned();
    let session = some_text(item, "session").map(|id| PaymentSession { id, url });
    Ok(StoredPurchase { purchase: blob(item, "purchase")?, state, session })
}
