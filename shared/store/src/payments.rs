//! Applies the events of the payment provider to purchases. Each event is processed only once: the
//! transaction also writes the id of the event, and this id must not exist yet. The change of the purchase
//! has a condition, too. So a repeated event, or a second event of the same payment, changes nothing.

use super::attributes::{n, s, ttl};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::transaction::{Outcome, Transaction};
use super::{discounts, feed, grants, keys};
use registry_model::{FeedItem, Grant, Moment, Purchase, PurchaseState, TokenDigest};

/// Seconds for which an event is stored; the provider repeats one for three days.
const EVENT_RETENTION: i64 = 30 * 86_400;

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
}

impl Store {
    /// Records a payment: the purchase becomes paid, its token becomes valid, its code becomes used, and the feed gets
    /// a new item.
    pub async fn pay_purchase(
        &self,
        purchase: &Purchase,
        paid: &Grant,
        event: PaymentEvent<'_>,
        news: &FeedItem,
    ) -> Result<PaymentOutcome, StoreError> {
        let state = Expression::default()
            .set("state", s(PurchaseState::Paid.as_str()))
            .set("paid_at", n(event.at.as_millisecond()))
            .remove("ttl")
            .only_if(
                "attribute_exists(pk) AND #state <> :paid",
                [("#state", "state")],
                [(":paid", s(PurchaseState::Paid.as_str()))],
            );
        let grant = grants::to_item(paid, &TokenDigest::of_table(&purchase.token))?;
        let news = feed::to_item(news)?;
        let code = discounts::use_up(&purchase.id, event.at);
        self.settle(purchase, event, &state, &code, |transaction| {
            transaction.put(grant.clone());
            transaction.put(news.clone());
        })
        .await
    }

    /// Ends a purchase that was not paid in time, and releases its code.
    pub async fn end_purchase(
        &self,
        purchase: &Purchase,
        event: PaymentEvent<'_>,
    ) -> Result<PaymentOutcome, StoreError> {
        let state = Expression::default().set("state", s(PurchaseState::Expired.as_str())).only_if(
            "#state = :pending",
            [("#state", "state")],
            [(":pending", s(PurchaseState::Pending.as_str()))],
        );
        self.settle(purchase, event, &state, &discounts::release(&purchase.id), |_| {}).await
    }

    /// Writes an event with its change of a purchase, of the code that the purchase still holds, and `more`.
    async fn settle(
        &self,
        purchase: &Purchase,
        event: PaymentEvent<'_>,
        state: &Expression,
        code: &Expression,
        more: impl Fn(&mut Transaction),
    ) -> Result<PaymentOutcome, StoreError> {
        let mut held = purchase.code.as_deref();
        loop {
            let mut transaction = Transaction::default();
            transaction.put_new(keys::payment_event(event.id).with([ttl(event.at, EVENT_RETENTION)]));
            transaction.update(keys::purchase(&purchase.id), state.clone());
            let code = held.map(|digest| transaction.update(keys::discount_code(digest), code.clone()));
            more(&mut transaction);
            match self.transact(transaction).await? {
                Outcome::Written => return Ok(PaymentOutcome::Done),
                // The hold ended before the payment arrived, and another purchase may hold the code by now.
                Outcome::Refused(refused) if code.is_some_and(|write| refused.is_only(write)) => held = None,
                Outcome::Refused(_) => return Ok(PaymentOutcome::SeenBefore),
            }
        }
    }
}
