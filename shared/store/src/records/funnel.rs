//! The funnel of a Live listing: the order of a demo, the feedback after it, and what the feedback earns (a founding seat or a
//! discount code).
//!
//! If the request for a demo is repeated, it returns the same order. Feedback and its reward are a completion, which one
//! transaction writes. One counter with a condition counts the seats, so that no seat is given twice. When all seats are
//! taken, feedback no longer writes to this counter. A grant is the right to use a product.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::counters::{LIVE, UNCONFIRMED, by_kind, live_counter, rating_counter};
use super::evidence::EVIDENCE;
use super::listings::NamedListing;
use super::listings::with_evidence;
use super::trails::{TRAIL, trail_of};
use crate::prelude::*;
use registry_model::{
    Amounts, Completion, Contact, DiscountCode, FeedItem, Feedback, Grant, Lane, Order, OrderId, PurchaseId,
    Reward, Sku, TokenDigest, TrailEvent,
};

pub(super) const ORDER: Record<Order> = Record::new("ORDER#", "ORDER", "order");

/// A listing with its evidence, and the orders of its demos.
#[derive(Debug)]
pub struct ListingWithOrders {
    pub listing: NamedListing,
    /// One for each product.
    pub orders: Vec<Order>,
    pub trail: Amounts,
}

/// How taking a demo ended. Nothing is written unless it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoOutcome {
    Taken,
    AlreadyTaken,
    NotActive,
}

impl Store {
    /// A listing with its evidence and its orders, by one read.
    pub async fn listing_with_orders(&self, id: &ListingId, at: Moment) -> Result<Option<ListingWithOrders>> {
        let orders = Sku::ALL.map(|sku| ORDER.of(OrderId::of(id, sku)));
        let keys = [LISTING.of(id), EVIDENCE.of(id), TRAIL.of(id)].into_iter().chain(orders);
        let items = self.batch_get(keys.collect(), Consistency::Strong).await?;
        let (orders, others) = ORDER.split(items);
        let (trail, listing) = TRAIL.split(others);
        let Some(listing) = with_evidence(listing)?.pop() else { return Ok(None) };
        let trail = trail.first().map(|item| trail_of(item, at).values).unwrap_or_default();
        Ok(Some(ListingWithOrders { listing, orders: ORDER.read_all(&orders)?, trail }))
    }

    pub async fn order(&self, id: &OrderId) -> Result<Option<Order>> {
        self.get(&ORDER, &ORDER.of(id)).await
    }

    /// Takes a demo: the order, the mark at the listing, its count, its feed item and its deposit on the `trail` that was
    /// read, in one transaction and once only.
    pub async fn take_demo(
        &self,
        listing: &Listing,
        order: &Order,
        trail: Amounts,
        act: Act<'_>,
        news: &FeedItem,
    ) -> Result<DemoOutcome> {
        self.count_allowed(act, order.at).await?;
        let mut transaction = Transaction::default();
        let new_order = transaction.put_new(ORDER.item(&ORDER.of(&order.order_id), order)?);
        let mark = Expression::default().set("demoed", yes()).if_equal("lane", s(Lane::Active.as_str()));
        transaction.update(LISTING.of(&listing.id), mark);
        let counter = by_kind(listing.likely_kind(), "demos_agents", "demos_mcps");
        let unconfirmed = i64::from(!order.is_real());
        let count = Expression::default().add("version", 1).add(counter, 1).add(UNCONFIRMED, unconfirmed);
        transaction.update(live_counter(&listing.id), count);
        transaction.add_to_feed([news])?;
        let deposit = Deposit::of(&listing.id, TrailEvent::TakeDemo).on(Some(trail));
        transaction.add_deposits(&[deposit], order.at);
        Ok(match self.transact(transaction).await? {
            Outcome::Written => DemoOutcome::Taken,
            Outcome::Refused(refused) if refused.includes(new_order) => DemoOutcome::AlreadyTaken,
            Outcome::Refused(_) => DemoOutcome::NotActive,
        })
    }

    /// Replaces an order that did not count as real by one that does. False where another request was faster.
    pub async fn confirm_order(&self, before: &Order, after: &Order) -> Result<bool> {
        let (name, value) = ORDER.value(after)?;
        let change = Expression::default().set(name, value).if_equal(name, to_blob(before)?);
        let mut transaction = Transaction::updating(ORDER.of(&after.order_id), change);
        let count = Expression::default().add("version", 1).add(UNCONFIRMED, -1);
        transaction.update(live_counter(&after.listing_id), count);
        self.commit(transaction).await
    }
}

/// Separate from its listing, and named so that a policy can deny it: it contains free text of a caller.
pub(super) const FEEDBACK: Record<Completion> = Record::new("FEEDBACK#", "FEEDBACK", "completion");
/// The answers and the text of feedback.
pub(super) const FEEDBACK_TEXT: Record<FeedbackTexts<'static>> =
    Record::new("FEEDBACK#", "TEXT", "texts").stored_for(365 * 86_400);
/// The count of founding seats, in the partition of the Live counters, so that one query reads both.
pub(super) const SEATS: KeyPattern = KeyPattern::new(LIVE.prefix, "SEATS");
/// Exists where a listing of this registrable domain has a founding seat.
pub(super) const SEAT: KeyPattern = KeyPattern::new("SEAT#", "SEAT");

#[derive(Clone, Copy, Debug)]
pub enum NewReward<'a> {
    /// A founding seat, with the grant that its token gives.
    Seat {
        seats: u32,
        token: &'a TokenDigest,
        grant: &'a Grant,
        /// The registrable domain that can have only one seat.
        domain: Option<&'a str>,
    },
    Code(&'a DiscountCode),
}

/// Parts of the table, of at most 1 MB each, that one call reads.
const PAGES_PER_CALL: u32 = 20;
const FEEDBACK_PER_PAGE: usize = 100;

/// What a person wrote in feedback. Stored separately from the completion, because it expires.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FeedbackTexts<'a> {
    answers: Cow<'a, BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Cow<'a, str>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedbackPage {
    /// With their texts, where these have not expired.
    pub feedback: Vec<Feedback>,
    /// Where the next page begins; `None` when the whole table was read.
    pub next: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub struct NewFeedback<'a> {
    pub feedback: &'a Feedback,
    pub contact: &'a Contact,
    /// The digest of the sender's idempotency key, where one was sent.
    pub key_digest: Option<&'a str>,
    /// The values that were read from the listing's trail.
    pub trail: Amounts,
}

/// How a completion ended. Nothing is written unless it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionOutcome {
    Done,
    AlreadyDone,
    SeatsGone,
    /// Another listing of the domain has a seat.
    DomainSeated,
    NotDemoed,
}

/// Who may have a reward issued again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimant {
    /// Whoever knows the key that was sent with the feedback. A code that a purchase holds is not replaced.
    Key,
    /// The owner of the domain. The key stops working, and a hold on the code does not protect it.
    Owner,
}

impl Store {
    pub async fn completion(&self, id: &ListingId) -> Result<Option<Completion>> {
        self.get(&FEEDBACK, &FEEDBACK.of(id)).await
    }

    /// The feedback of a listing with its texts, where it gave any.
    pub async fn feedback(&self, id: &ListingId) -> Result<Option<Feedback>> {
        let items = self.partition(&FEEDBACK.partition(id)).await?;
        let at = |pattern: &KeyPattern| items.iter().find(|item| pattern.matches(item));
        let Some(item) = at(&FEEDBACK) else { return Ok(None) };
        let feedback = FEEDBACK.read(item)?.feedback;
        let Some(texts) = at(&FEEDBACK_TEXT) else { return Ok(Some(feedback)) };
        let FeedbackTexts { answers, body } = FEEDBACK_TEXT.read(texts)?;
        Ok(Some(Feedback { answers: answers.into_owned(), body: body.map(Cow::into_owned), ..feedback }))
    }

    /// The feedback of all listings, in a part of the table that begins after `after`. It reads the whole table, because
    /// only the operator needs this list, and seldom.
    pub async fn all_feedback(&self, after: Option<&str>) -> Result<FeedbackPage> {
        let mut page = FeedbackPage { next: after.map(str::to_owned), ..FeedbackPage::default() };
        for _ in 0..PAGES_PER_CALL {
            let (items, next) = self.scan(page.next.as_deref()).await?;
            for item in items.iter().filter(|item| item.contains_key(FEEDBACK.attribute)) {
                let given = FEEDBACK.read(item)?.feedback;
                page.feedback.extend(self.feedback(&given.listing_id).await?);
            }
            page.next = next;
            if page.next.is_none() || page.feedback.len() >= FEEDBACK_PER_PAGE {
                break;
            }
        }
        Ok(page)
    }

    /// Writes feedback with its reward, contact, counts and feed items, once per listing.
    pub async fn complete(
        &self,
        new: &NewFeedback<'_>,
        reward: NewReward<'_>,
        act: Act<'_>,
        news: &[FeedItem],
    ) -> Result<CompletionOutcome> {
        let NewFeedback { feedback, contact, key_digest, trail } = new;
        self.count_allowed(act, feedback.at).await?;
        let id = &feedback.listing_id;
        let mut transaction = Transaction::default();
        let completion = Completion {
            feedback: Feedback { answers: BTreeMap::new(), body: None, ..(*feedback).clone() },
            reward: reward.stored(),
            key_digest: key_digest.map(str::to_owned),
            seat_domain: reward.domain().map(str::to_owned),
        };
        let completion = transaction.put_new(FEEDBACK.item(&FEEDBACK.of(id), &completion)?);
        let body = feedback.body.as_deref().map(Cow::Borrowed);
        let texts = FeedbackTexts { answers: Cow::Borrowed(&feedback.answers), body };
        transaction.put(FEEDBACK_TEXT.expiring_item(&FEEDBACK_TEXT.of(id), &texts, feedback.at)?);
        let mark = Expression::default().set("feedbacked", yes()).if_equal("demoed", yes());
        let demoed = transaction.update(LISTING.of(id), mark);
        if let NewReward::Seat { seats, .. } = reward {
            let claim = Expression::default().add("claimed", 1).if_missing_or("claimed", "<", n(seats));
            transaction.update(SEATS.key(), claim);
        }
        let domain = reward.domain().map(|domain| {
            let holder = [("listing_id", s(id.as_str())), ("at", ms(feedback.at))];
            transaction.put_new(SEAT.of(domain).with(holder))
        });
        transaction.put_reward(feedback, reward)?;
        transaction.update(live_counter(id), completion_counts(feedback, 1));
        transaction.put_contact(id, contact, feedback.at);
        transaction.add_to_feed(news)?;
        let mut deposits = vec![Deposit::of(id, TrailEvent::LeaveFeedback).on(Some(*trail))];
        if matches!(reward, NewReward::Seat { .. }) {
            deposits.push(Deposit::of(id, TrailEvent::FoundingClaim));
        }
        transaction.add_deposits(&deposits, feedback.at);
        Ok(match self.transact(transaction).await? {
            Outcome::Written => CompletionOutcome::Done,
            Outcome::Refused(refused) if refused.includes(completion) => CompletionOutcome::AlreadyDone,
            Outcome::Refused(refused) if refused.includes(demoed) => CompletionOutcome::NotDemoed,
            Outcome::Refused(refused) if domain.is_some_and(|write| refused.includes(write)) => {
                CompletionOutcome::DomainSeated
            }
            Outcome::Refused(_) => CompletionOutcome::SeatsGone,
        })
    }

    /// Issues a new reward instead of that of a completion, which becomes invalid. `AlreadyDone` where another
    /// request did so in the meantime, where the old token was revoked, or where a purchase used the old code.
    pub async fn reissue(
        &self,
        before: &Completion,
        reward: NewReward<'_>,
        claimant: Claimant,
        now: Moment,
    ) -> Result<CompletionOutcome> {
        let mut transaction = Transaction::default();
        let key_digest = before.key_digest.clone().filter(|_| claimant == Claimant::Key);
        let after = Completion { reward: reward.stored(), key_digest, ..before.clone() };
        let change = Expression::default().set(FEEDBACK.attribute, to_blob(&after)?);
        let change = change.if_equal(FEEDBACK.attribute, to_blob(before)?);
        transaction.update(FEEDBACK.of(&before.feedback.listing_id), change);
        match &before.reward {
            Reward::Seat(digest) => {
                let grant = GRANT.of(TokenDigest::of_table(digest));
                transaction.update(grant, grant_revocation().if_present(GRANT.attribute))
            }
            Reward::Code(digest) => {
                let condition = match claimant {
                    Claimant::Key => if_code_is_free(now),
                    Claimant::Owner => if_code_is_unused(),
                };
                transaction.delete_if(DISCOUNT_CODE.of(digest), condition)
            }
        };
        transaction.put_reward(&before.feedback, reward)?;
        let is_done = self.commit(transaction).await?;
        Ok(if is_done { CompletionOutcome::Done } else { CompletionOutcome::AlreadyDone })
    }

    /// Deletes a completion with its reward, seat and counts, so that its listing can give feedback again. False where
    /// the completion changed since it was read.
    pub async fn void_completion(&self, completion: &Completion) -> Result<bool> {
        let feedback = &completion.feedback;
        let id = &feedback.listing_id;
        let listing = self.read(&LISTING.of(id)).await?;
        let mut transaction = Transaction::default();
        let unchanged = Expression::default().if_equal(FEEDBACK.attribute, to_blob(completion)?);
        transaction.delete_if(FEEDBACK.of(id), unchanged);
        transaction.delete(FEEDBACK_TEXT.of(id));
        if listing.is_some() {
            transaction.update(LISTING.of(id), Expression::default().remove("feedbacked").if_exists());
        }
        match &completion.reward {
            Reward::Seat(digest) => {
                transaction.update(GRANT.of(TokenDigest::of_table(digest)), grant_revocation());
                transaction.update(SEATS.key(), Expression::default().add("claimed", -1));
            }
            Reward::Code(digest) => {
                transaction.delete(DISCOUNT_CODE.of(digest));
            }
        }
        if let Some(domain) = &completion.seat_domain {
            transaction.delete(SEAT.of(domain));
        }
        transaction.update(live_counter(id), completion_counts(feedback, -1));
        self.commit(transaction).await
    }
}

impl Transaction {
    fn put_reward(&mut self, feedback: &Feedback, reward: NewReward<'_>) -> Result<()> {
        let item: Item = match reward {
            NewReward::Seat { token, grant, .. } => grant_item(grant, token)?,
            NewReward::Code(code) => DISCOUNT_CODE
                .of(code.digest())
                .with([("listing_id", s(feedback.listing_id.as_str())), ("made_at", ms(feedback.at))]),
        };
        self.put_new(item);
        Ok(())
    }
}

impl<'a> NewReward<'a> {
    const fn domain(self) -> Option<&'a str> {
        match self {
            Self::Seat { domain, .. } => domain,
            Self::Code(_) => None,
        }
    }

    fn stored(self) -> Reward {
        match self {
            Self::Seat { token, .. } => Reward::Seat(token.as_str().to_owned()),
            Self::Code(code) => Reward::Code(code.digest()),
        }
    }
}

/// How a completion changes the counters, 1 to count it and -1 to take it back; the active list shows them.
fn completion_counts(feedback: &Feedback, by: i64) -> Expression {
    let (counter, drafts) =
        by_kind(feedback.kind, ("feedback_agents", "drafts_agents"), ("feedback_mcps", "drafts_mcps"));
    let (rating, draft) = if feedback.is_draft { (0, by) } else { (by, 0) };
    Expression::default()
        .add("version", 1)
        .add(counter, by)
        .add(drafts, draft)
        .add(&rating_counter(feedback.sku, feedback.rating), rating)
}

pub(super) const GRANT: Record<Grant> = Record::new("TOKEN#", "GRANT", "grant");
pub(super) const DISCOUNT_CODE: KeyPattern = KeyPattern::new("CODE#", "CODE");

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discount {
    /// The listing whose feedback earned the code; `None` if this cannot be read.
    pub listing_id: Option<ListingId>,
    pub usage: DiscountUse,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscountUse {
    Free,
    /// An unpaid purchase holds it until this time.
    Held(PurchaseId, Moment),
    /// A purchase was paid with it.
    Used,
}

impl Store {
    pub async fn grant(&self, token: &TokenDigest) -> Result<Option<Grant>> {
        let item = self.read(&GRANT.of(token)).await?;
        item.filter(|item| item.contains_key(GRANT.attribute)).map(|item| GRANT.read(&item)).transpose()
    }

    /// Revokes the grant of a token; false where there was none.
    pub async fn revoke_grant(&self, token: &TokenDigest) -> Result<bool> {
        self.change(GRANT.of(token), grant_revocation().if_present(GRANT.attribute)).await
    }

    pub async fn discount(&self, digest: &str) -> Result<Option<Discount>> {
        Ok(self.read(&DISCOUNT_CODE.of(digest)).await?.map(|item| {
            let usage = match (text(&item, "held_by").parse(), moment(&item, "held_until")) {
                _ if !text(&item, "used_by").is_empty() => DiscountUse::Used,
                (Ok(purchase), Some(until)) => DiscountUse::Held(purchase, until),
                _ => DiscountUse::Free,
            };
            Discount { listing_id: text(&item, "listing_id").parse().ok(), usage }
        }))
    }
}

/// Removes the grant of a token and leaves a mark, so that an import of an older export does not bring it back.
pub(super) fn grant_revocation() -> Expression {
    Expression::default().set("revoked", yes()).remove(GRANT.attribute).remove("ttl")
}

pub(super) fn grant_item(grant: &Grant, token: &TokenDigest) -> Result<Item> {
    GRANT.item(&GRANT.of(token), grant)
}

/// Reserves a code if it is free, if its reservation has ended, or if the reservation belongs to `given_up`.
pub(super) fn hold_code(
    purchase: &PurchaseId,
    given_up: Option<&PurchaseId>,
    now: Moment,
    until: Moment,
) -> Expression {
    if_code_is_unused().set("held_by", s(purchase.as_str())).set("held_until", ms(until)).only_if(
        "(attribute_not_exists(held_by) OR held_until < :now OR held_by = :given_up)",
        [],
        [(":now", ms(now)), (":given_up", s(given_up.map_or("-", PurchaseId::as_str)))],
    )
}

/// A condition: no purchase holds or has used the code.
fn if_code_is_free(now: Moment) -> Expression {
    if_code_is_unused().if_missing_or("held_until", "<", ms(now))
}

/// A condition: no purchase has used the code.
fn if_code_is_unused() -> Expression {
    Expression::default().if_exists().if_missing("used_by")
}

pub(super) fn release_code(purchase: &PurchaseId) -> Expression {
    let released = Expression::default().remove("held_by").remove("held_until");
    released.if_equal("held_by", s(purchase.as_str()))
}

/// Marks a code as used by this purchase, also where another purchase holds the code by now. So a payment that is
/// confirmed late does not leave the code free for a second one.
pub(super) fn use_up_code(purchase: &PurchaseId, now: Moment) -> Expression {
    let used = if_code_is_unused().set("used_by", s(purchase.as_str())).set("used_at", ms(now));
    used.remove("held_by").remove("held_until")
}
