//! What payments do to purchases. Each event of the provider is acted on once: its id is written under a condition in the
//! same transaction, and the change itself has a condition, so that neither a replay nor a second event of the same
//! payment does anything.

use aws_sdk_dynamodb::types::AttributeValue;

use super::attributes::{n, s};
use super::client::Store;
use super::discounts;
use super::error::StoreError;
use super::expression::Expression;
use super::feed;
use super::grants;
use super::keys;
use super::transaction::{Outcome, Transaction};
use registry_model::{FeedItem, Grant, Moment, Purchase, PurchaseState, TokenDigest};

/// Seconds for which an event is remembered; the provider repeats one for three days.
const REMEMBERED: i64 = 30 * 86_400;

/// An event of the payment provider.
#[derive(Clone, Copy, Debug)]
pub struct PaymentEvent<'a> {
    /// Its id, the same however often it is delivered.
    pub id: &'a str,
    /// When it was received.
    pub at: Moment,
}

/// How a payment event ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentOutcome {
    /// The purchase changed.
    Done,
    /// The event was acted on before, or the purchase is already further; nothing was written.
    SeenBefore,
}

impl Store {
    /// Opens what was paid: the purchase is paid, its token opens, its code is used up, and the feed tells of it.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
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
            .only_if("attribute_exists(pk) AND #state <> :paid", STATE, [paid_state()]);
        let grant = grants::to_item(paid, &TokenDigest::of_table(&purchase.token))?;
        let code = discounts::use_up(&purchase.id, event.at);
        self.settle(purchase, event, &state, &code, |transaction| {
            self.put(transaction, grant.clone(), None)?;
            self.put(transaction, feed::to_item(news)?, None)
        })
        .await
    }

    /// Ends a purchase that was not paid in time, and gives its code back.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn end_purchase(
        &self,
        purchase: &Purchase,
        event: PaymentEvent<'_>,
    ) -> Result<PaymentOutcome, StoreError> {
        let state = Expression::default().set("state", s(PurchaseState::Expired.as_str())).only_if(
            "#state = :pending",
            STATE,
            [(":pending", s(PurchaseState::Pending.as_str()))],
        );
        self.settle(purchase, event, &state, &discounts::release(&purchase.id), |_| Ok(())).await
    }

    /// One event's change of a purchase, of its code where it still holds one, and what belongs to it.
    async fn settle(
        &self,
        purchase: &Purchase,
        event: PaymentEvent<'_>,
        state: &Expression,
        code: &Expression,
        more: impl Fn(&mut Transaction) -> Result<(), StoreError>,
    ) -> Result<PaymentOutcome, StoreError> {
        let mut held = purchase.code.as_deref();
        loop {
            let mut transaction = Transaction::default();
            let mut seen = keys::payment_event(event.id).item();
            seen.insert("ttl".to_owned(), n(event.at.as_second() + REMEMBERED));
            self.put(&mut transaction, seen, Some("attribute_not_exists(pk)"))?;
            self.update(&mut transaction, &keys::purchase(&purchase.id), state)?;
            if let Some(digest) = held {
                self.update(&mut transaction, &keys::discount_code(digest), code)?;
            }
            more(&mut transaction)?;
            match self.transact(transaction).await? {
                Outcome::Written => return Ok(PaymentOutcome::Done),
                // Its hold ended before its payment was heard of, and the code may be another's by now.
                Outcome::Refused(positions) if positions == [2] && held.is_some() => held = None,
                Outcome::Refused(_) => return Ok(PaymentOutcome::SeenBefore),
            }
        }
    }
}

const STATE: [(&str, &str); 1] = [("#state", "state")];

fn paid_state() -> (&'static str, AttributeValue) {
    (":paid", s(PurchaseState::Paid.as_str()))
}
