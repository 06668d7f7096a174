//! Purchases and the events of the payment provider. A purchase is stored before the caller is asked to pay: one transaction
//! writes the purchase, the grant of its token, the reservation of its discount code, and the request. A purchase that is
//! never paid expires.
//!
//! Each event is processed only once: the transaction also writes the id of the event, and this id must not exist yet. The
//! change of the purchase has a condition, too. So a repeated event, or a second event of the same payment, changes nothing.

use super::funnel::{self, DISCOUNT_CODE, GRANT};
use crate::prelude::*;
use registry_model::{
    FeedItem, FlaggedPurchase, Grant, PaymentFlag, PaymentSession, Purchase, PurchaseId, PurchaseState,
    TokenDigest,
};

/// Named so that a policy can deny it: it contains the URL where a purchase is paid. An unpaid one is stored for some time
/// after its end, because the provider repeats its events for days.
pub(super) const PURCHASE: Record<Purchase> =
    Record::new("PURCHASE#", "PURCHASE", "purchase").stored_for(30 * 86_400);
/// A pointer from the idempotency digest of a request to the purchase that it began.
pub(super) const REPEAT: KeyPattern = KeyPattern::new("PURCHASE#REPEAT#", "REPEAT");
/// An event of the payment provider that was processed.
pub(super) const PAYMENT_EVENT: KeyPattern = KeyPattern::new("PAYMENT#", "EVENT");
/// A pointer from a payment of the provider to the purchase that it paid: disputes contain only the payment.
pub(super) const PAYMENT: KeyPattern = KeyPattern::new("PAYMENT#", "PURCHASE");
/// Payments that the operator must look at, by time, stored for longer than a payment can be disputed.
pub(super) const FLAGGED: Record<FlaggedPurchase> =
    Record::new("FLAGGED", "", "flagged").stored_for(400 * 86_400);

/// Seconds for which an event is stored; the provider repeats one for three days.
const EVENT_RETENTION: i64 = 30 * 86_400;

const MAX_FLAGS: i32 = 100;

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

#[derive(Clone, Copy, Debug)]
pub struct PaymentEvent<'a> {
    /// The same for every delivery of the event.
    pub id: &'a str,
    pub at: Moment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentOutcome {
    Done,
    /// The event was processed before, or the purchase is already in a later state; nothing was written.
    SeenBefore,
    /// Another purchase has used its discount code, or the code was replaced; nothing was written.
    CodeNotValid,
}

impl Store {
    pub async fn purchase(&self, id: &PurchaseId) -> Result<Option<StoredPurchase>> {
        let item = self.read(&PURCHASE.of(id)).await?;
        item.as_ref().map(stored_purchase).transpose()
    }

    /// The data from which the files of a purchase were made when it began.
    pub async fn purchase_snapshot(&self, id: &PurchaseId) -> Result<Option<String>> {
        Ok(self.read(&PURCHASE.of(id)).await?.and_then(|item| some_text(&item, "snapshot")))
    }

    /// The purchase that a request began, by the digest that identifies its repetitions.
    pub async fn repeated_purchase(&self, repeat: &str) -> Result<Option<PurchaseId>> {
        let item = self.read(&REPEAT.of(repeat)).await?;
        Ok(item.and_then(|item| text(&item, "purchase_id").parse().ok()))
    }

    /// Writes a purchase with the grant of its token, and holds its code.
    pub async fn begin_purchase(&self, new: NewPurchase<'_>, act: Act<'_>) -> Result<BeginOutcome> {
        let NewPurchase { purchase, repeat, replaces, given_up, held_until, snapshot } = new;
        let (id, now) = (&purchase.id, purchase.grant.at);
        self.count_allowed(act, now).await?;
        let (_, ttl) = PURCHASE.ttl(purchase.expires_at);
        let mut transaction = Transaction::default();
        let pointer = Expression::default().set("purchase_id", s(id.as_str())).set("ttl", ttl.clone());
        let replaced = s(replaces.map_or("-", PurchaseId::as_str));
        let pointer = pointer.if_missing_or("purchase_id", "=", replaced);
        let mut grant = funnel::grant_item(&purchase.grant, &TokenDigest::of_table(&purchase.token))?;
        grant.insert("ttl".to_owned(), ttl.clone());
        let state = ("state", s(PurchaseState::Pending.as_str()));
        let attributes = [PURCHASE.value(purchase)?, state, ("ttl", ttl)].into_iter();
        let item = PURCHASE.of(id).with(attributes.chain(snapshot.map(|text| ("snapshot", s(text)))));
        let own_writes = [
            transaction.update(REPEAT.of(repeat), pointer),
            transaction.put_new(item),
            transaction.put_new(grant),
        ];
        if let Some(code) = &purchase.code {
            let hold = funnel::hold_code(id, given_up, now, held_until);
            transaction.update(DISCOUNT_CODE.of(code), hold);
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
        self.change(PURCHASE.of(id), change).await
    }

    /// Deletes a purchase that cannot be paid because it has no session, with its grant and its hold on the code. One that
    /// has a session by now stays.
    pub async fn forget_purchase(&self, purchase: &Purchase) -> Result<()> {
        let mut transaction = Transaction::default();
        transaction.delete_if(PURCHASE.of(&purchase.id), Expression::default().if_missing("session"));
        transaction.delete(GRANT.of(TokenDigest::of_table(&purchase.token)));
        if let Some(code) = &purchase.code {
            transaction.update(DISCOUNT_CODE.of(code), funnel::release_code(&purchase.id));
        }
        self.commit(transaction).await.map(drop)
    }

    /// Records a payment: the purchase becomes paid, its token valid, its code used, and the feed gets a new item.
    /// `paid` is the grant that its token gives from now on, `payment` the id that refunds and disputes contain.
    pub async fn pay_purchase(
        &self,
        purchase: &Purchase,
        paid: &Grant,
        payment: Option<&str>,
        event: PaymentEvent<'_>,
        news: &FeedItem,
    ) -> Result<PaymentOutcome> {
        let state = Expression::default()
            .set("state", s(PurchaseState::Paid.as_str()))
            .set("paid_at", ms(event.at))
            .remove("ttl")
            .if_exists()
            .if_is("state", "<>", s(PurchaseState::Paid.as_str()))
            .if_is("state", "<>", s(PurchaseState::Closed.as_str()));
        let mut transaction = recording(event);
        transaction.update(PURCHASE.of(&purchase.id), state);
        transaction.put(funnel::grant_item(paid, &TokenDigest::of_table(&purchase.token))?);
        transaction.add_to_feed([news])?;
        if let Some(payment) = payment {
            transaction.put(PAYMENT.of(payment).with([("purchase_id", s(purchase.id.as_str()))]));
        }
        let code = purchase.code.as_deref().map(|digest| {
            transaction.update(DISCOUNT_CODE.of(digest), funnel::use_up_code(&purchase.id, event.at))
        });
        Ok(match self.transact(transaction).await? {
            Outcome::Written => PaymentOutcome::Done,
            Outcome::Refused(refused) if code.is_some_and(|write| refused.is_only(write)) => {
                PaymentOutcome::CodeNotValid
            }
            Outcome::Refused(_) => PaymentOutcome::SeenBefore,
        })
    }

    /// Ends a purchase that was not paid in time, and releases its code.
    pub async fn end_purchase(&self, purchase: &Purchase, event: PaymentEvent<'_>) -> Result<PaymentOutcome> {
        let state = Expression::default().set("state", s(PurchaseState::Expired.as_str()));
        let state = state.if_equal("state", s(PurchaseState::Pending.as_str()));
        let mut held = purchase.code.as_deref();
        loop {
            let mut transaction = recording(event);
            transaction.update(PURCHASE.of(&purchase.id), state.clone());
            let release =
                |digest| transaction.update(DISCOUNT_CODE.of(digest), funnel::release_code(&purchase.id));
            let code = held.map(release);
            match self.transact(transaction).await? {
                Outcome::Written => return Ok(PaymentOutcome::Done),
                // The hold ended before the event arrived, and another purchase may hold the code by now.
                Outcome::Refused(refused) if code.is_some_and(|write| refused.is_only(write)) => held = None,
                Outcome::Refused(_) => return Ok(PaymentOutcome::SeenBefore),
            }
        }
    }

    /// Flags a purchase for the operator. With `close`, the purchase is closed and its token stops working.
    pub async fn flag_purchase(
        &self,
        purchase: &Purchase,
        flag: PaymentFlag,
        event: PaymentEvent<'_>,
        close: bool,
    ) -> Result<PaymentOutcome> {
        let flagged = FlaggedPurchase {
            purchase_id: purchase.id.clone(),
            flag,
            at: event.at,
            event: event.id.to_owned(),
        };
        let mut transaction = recording(event);
        let key = FLAGGED.at(event.at, &format!("{}#{}", purchase.id, flag.as_str()));
        transaction.put(FLAGGED.expiring_item(&key, &flagged, event.at)?);
        if close {
            transaction.close_purchase(purchase);
        }
        Ok(if self.commit(transaction).await? { PaymentOutcome::Done } else { PaymentOutcome::SeenBefore })
    }

    /// Closes a purchase: its token stops working, and no payment opens it. False where it is closed already.
    pub async fn close_purchase(&self, purchase: &Purchase) -> Result<bool> {
        let mut transaction = Transaction::default();
        transaction.close_purchase(purchase);
        self.commit(transaction).await
    }

    pub async fn purchase_of_payment(&self, payment: &str) -> Result<Option<PurchaseId>> {
        let item = self.read(&PAYMENT.of(payment)).await?;
        Ok(item.and_then(|item| text(&item, "purchase_id").parse().ok()))
    }

    /// The flags since a time, the newest first; the oldest are left out if there are too many.
    pub async fn flagged_purchases(&self, since: Moment) -> Result<Vec<FlaggedPurchase>> {
        let query = FLAGGED.query().range(Range::From(key::millis(since))).strong();
        self.list(&FLAGGED, query.descending().limit(MAX_FLAGS)).await
    }
}

/// A transaction that records the event, which must be new.
fn recording(event: PaymentEvent<'_>) -> Transaction {
    let mut transaction = Transaction::default();
    transaction.put_new(PAYMENT_EVENT.of(event.id).with([ttl(event.at, EVENT_RETENTION)]));
    transaction
}

impl Transaction {
    fn close_purchase(&mut self, purchase: &Purchase) {
        let closed = s(PurchaseState::Closed.as_str());
        let change = Expression::default().set("state", closed.clone()).remove("ttl");
        let change = change.if_exists().if_is("state", "<>", closed);
        self.update(PURCHASE.of(&purchase.id), change);
        self.update(GRANT.of(TokenDigest::of_table(&purchase.token)), funnel::grant_revocation());
    }
}

fn stored_purchase(item: &Item) -> Result<StoredPurchase> {
    let state = PurchaseState::named(text(item, "state"));
    let state = state.ok_or_else(|| StoreError::fault("a purchase has no state"))?;
    let url = text(item, "checkout_url").to_owned();
    let session = some_text(item, "session").map(|id| PaymentSession { id, url });
    Ok(StoredPurchase { purchase: PURCHASE.read(item)?, state, session })
}
