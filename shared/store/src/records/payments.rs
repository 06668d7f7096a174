//! Applies the events of the payment provider to purchases. Each event is processed only once: the
//! transaction also writes the id of the event, and this id must not exist yet. The change of the purchase
//! has a condition, too. So a repeated event, or a second event of the same payment, changes nothing.

use super::{discounts, feed, grants};
use crate::table::prelude::*;
use registry_model::{
    FeedItem, FlaggedPurchase, Grant, PaymentFlag, Purchase, PurchaseId, PurchaseState, TokenDigest,
};

/// Seconds for which an event is stored; the provider repeats one for three days.
const EVENT_RETENTION: i64 = 30 * 86_400;

/// Seconds for which a flag is stored, longer than a payment can be disputed.
const FLAG_RETENTION: i64 = 400 * 86_400;

const MAX_FLAGS: i32 = 100;

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
            .set("paid_at", n(event.at.as_millisecond()))
            .remove("ttl")
            .if_exists()
            .if_is("state", "<>", s(PurchaseState::Paid.as_str()))
            .if_is("state", "<>", s(PurchaseState::Closed.as_str()));
        let mut transaction = seen(event);
        transaction.update(keys::PURCHASE.of(&purchase.id), state);
        transaction.put(grants::to_item(paid, &TokenDigest::of_table(&purchase.token))?);
        feed::tell(&mut transaction, news)?;
        if let Some(payment) = payment {
            transaction.put(keys::PAYMENT.of(payment).with([("purchase_id", s(purchase.id.as_str()))]));
        }
        let code = purchase.code.as_deref().map(|digest| {
            transaction.update(keys::DISCOUNT_CODE.of(digest), discounts::use_up(&purchase.id, event.at))
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
            let mut transaction = seen(event);
            transaction.update(keys::PURCHASE.of(&purchase.id), state.clone());
            let release =
                |digest| transaction.update(keys::DISCOUNT_CODE.of(digest), discounts::release(&purchase.id));
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
        let mut transaction = seen(event);
        let key = keys::flagged(event.at, &purchase.id, flag);
        transaction.put(key.with([("flagged", to_blob(&flagged)?), ttl(event.at, FLAG_RETENTION)]));
        if close {
            closing(&mut transaction, purchase);
        }
        let written = self.transact(transaction).await?.is_written();
        Ok(if written { PaymentOutcome::Done } else { PaymentOutcome::SeenBefore })
    }

    /// Closes a purchase: its token stops working, and no payment opens it. False where it is closed already.
    pub async fn close_purchase(&self, purchase: &Purchase) -> Result<bool> {
        let mut transaction = Transaction::default();
        closing(&mut transaction, purchase);
        Ok(self.transact(transaction).await?.is_written())
    }

    pub async fn purchase_of_payment(&self, payment: &str) -> Result<Option<PurchaseId>> {
        let item = self.read(&keys::PAYMENT.of(payment), Consistency::Strong).await?;
        Ok(item.and_then(|item| text(&item, "purchase_id").parse().ok()))
    }

    /// The flags since a time, the newest first; the oldest are left out if there are too many.
    pub async fn flagged_purchases(&self, since: Moment) -> Result<Vec<FlaggedPurchase>> {
        let query = Query::of(keys::FLAGGED).range(Range::From(keys::millis(since))).strong();
        self.query_blobs(query.descending().limit(MAX_FLAGS), "flagged").await
    }
}

/// A transaction that records the event, which must be new.
fn seen(event: PaymentEvent<'_>) -> Transaction {
    let mut transaction = Transaction::default();
    transaction.put_new(keys::PAYMENT_EVENT.of(event.id).with([ttl(event.at, EVENT_RETENTION)]));
    transaction
}

fn closing(transaction: &mut Transaction, purchase: &Purchase) {
    let closed = s(PurchaseState::Closed.as_str());
    let change = Expression::default().set("state", closed.clone()).remove("ttl");
    let change = change.if_exists().if_is("state", "<>", closed);
    transaction.update(keys::PURCHASE.of(&purchase.id), change);
    transaction.update(keys::GRANT.of(TokenDigest::of_table(&purchase.token)), grants::revocation());
}
