//! Stores a completion: the feedback of a listing, together with its reward (a founding seat or a discount
//! code). One transaction writes all of it. One counter with a condition counts the seats, so that no seat is
//! given twice. When all seats are taken, feedback no longer writes to this counter.

use super::attributes::{Item, blob, n, s, to_blob, yes};
use super::batch_get::Consistency;
use super::client::Store;
use super::counters;
use super::deposit::Deposit;
use super::error::StoreError;
use super::expression::Expression;
use super::listing_item::contact_change;
use super::rates::{Allowance, UsedUp};
use super::transaction::{Outcome, Transaction};
use super::{discounts, feed, grants, keys, trails};
use registry_model::{
    Amounts, Completion, Contact, DiscountCode, FeedItem, Feedback, Grant, Kind, ListingId, Moment, Reward,
    TokenDigest, TrailEvent,
};

#[derive(Clone, Copy, Debug)]
pub enum NewReward<'a> {
    /// A founding seat, with the grant that its token gives.
    Seat {
        seats: u32,
        token: &'a TokenDigest,
        grant: &'a Grant,
    },
    Code(&'a DiscountCode),
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
    /// This listing gave its feedback already.
    AlreadyDone,
    /// No seat is left.
    SeatsGone,
    NotDemoed,
    Limited(UsedUp),
}

impl Store {
    /// The completion of a listing, where it has one.
    pub async fn completion(&self, id: &ListingId) -> Result<Option<Completion>, StoreError> {
        let item = self.read(&keys::feedback(id), Consistency::Strong).await?;
        item.map(|item| blob(&item, "completion")).transpose()
    }

    /// Writes feedback with its reward, contact, counts and feed item, once per listing.
    pub async fn complete(
        &self,
        new: &NewFeedback<'_>,
        reward: NewReward<'_>,
        allowance: Option<Allowance<'_>>,
        news: &FeedItem,
    ) -> Result<CompletionOutcome, StoreError> {
        let NewFeedback { feedback, contact, key_digest, trail } = new;
        if let Some(used_up) = self.used_up(allowance, feedback.at).await? {
            return Ok(CompletionOutcome::Limited(used_up));
        }
        let id = &feedback.listing_id;
        let mut transaction = Transaction::default();
        let completion = Completion {
            feedback: (*feedback).clone(),
            reward: reward.stored(),
            key_digest: key_digest.map(str::to_owned),
        };
        let completion =
            transaction.put_new(keys::feedback(id).with([("completion", to_blob(&completion)?)]));
        let mark =
            Expression::default().set("feedbacked", yes()).only_if("demoed = :yes", [], [(":yes", yes())]);
        let demoed = transaction.update(keys::listing(id), mark);
        if let NewReward::Seat { seats, .. } = reward {
            let claim = Expression::default().add("claimed", 1).only_if(
                "attribute_not_exists(#claimed) OR #claimed < :seats",
                [("#claimed", "claimed")],
                [(":seats", n(seats))],
            );
            transaction.update(keys::seats(), claim);
        }
        put_reward(&mut transaction, feedback, reward)?;
        transaction.update(keys::live(id), counted(feedback));
        if let Some((key, change)) = contact_change(id, contact) {
            transaction.update(key, change);
        }
        transaction.put(feed::to_item(news)?);
        let mut deposits = vec![Deposit::of(id, TrailEvent::LeaveFeedback).on(Some(*trail))];
        if matches!(reward, NewReward::Seat { .. }) {
            deposits.push(Deposit::of(id, TrailEvent::FoundingClaim));
        }
        trails::deposit(&mut transaction, &deposits, feedback.at);
        Ok(match self.transact(transaction).await? {
            Outcome::Written => CompletionOutcome::Done,
            Outcome::Refused(refused) if refused.includes(completion) => CompletionOutcome::AlreadyDone,
            Outcome::Refused(refused) if refused.includes(demoed) => CompletionOutcome::NotDemoed,
            Outcome::Refused(_) => CompletionOutcome::SeatsGone,
        })
    }

    /// Issues a new reward in the place of that of a completion, which becomes invalid. `AlreadyDone` where another
    /// request did so in the meantime, or where the old code is held or used by a purchase.
    pub async fn reissue(
        &self,
        before: &Completion,
        reward: NewReward<'_>,
        allowance: Option<Allowance<'_>>,
        now: Moment,
    ) -> Result<CompletionOutcome, StoreError> {
        if let Some(used_up) = self.used_up(allowance, now).await? {
            return Ok(CompletionOutcome::Limited(used_up));
        }
        let mut transaction = Transaction::default();
        let after = Completion { reward: reward.stored(), ..before.clone() };
        let change = Expression::default().set("completion", to_blob(&after)?).only_if(
            "#completion = :before",
            [("#completion", "completion")],
            [(":before", to_blob(before)?)],
        );
        transaction.update(keys::feedback(&before.feedback.listing_id), change);
        match &before.reward {
            Reward::Seat(digest) => {
                let grant = keys::grant(&TokenDigest::of_table(digest));
                transaction.delete_if(grant, Expression::default().if_exists())
            }
            Reward::Code(digest) => {
                transaction.delete_if(keys::discount_code(digest), discounts::unspent(now))
            }
        };
        put_reward(&mut transaction, &before.feedback, reward)?;
        Ok(match self.transact(transaction).await? {
            Outcome::Written => CompletionOutcome::Done,
            Outcome::Refused(_) => CompletionOutcome::AlreadyDone,
        })
    }
}

fn put_reward(
    transaction: &mut Transaction,
    feedback: &Feedback,
    reward: NewReward<'_>,
) -> Result<(), StoreError> {
    let item: Item = match reward {
        NewReward::Seat { token, grant, .. } => grants::to_item(grant, token)?,
        NewReward::Code(code) => keys::discount_code(&code.digest()).with([
            ("listing_id", s(feedback.listing_id.as_str())),
            ("made_at", n(feedback.at.as_millisecond())),
        ]),
    };
    transaction.put_new(item);
    Ok(())
}

impl NewReward<'_> {
    fn stored(self) -> Reward {
        match self {
            Self::Seat { token, .. } => Reward::Seat(token.as_str().to_owned()),
            Self::Code(code) => Reward::Code(code.digest()),
        }
    }
}

/// How a completion changes the counters; the active list shows it.
fn counted(feedback: &Feedback) -> Expression {
    let counter = match feedback.kind {
        Kind::Agent => "feedback_agents",
        Kind::Mcp => "feedback_mcps",
    };
    let rating = i64::from(!feedback.is_draft);
    Expression::default()
        .add("version", 1)
        .add(counter, 1)
        .add(&counters::rating_counter(feedback.sku, feedback.rating), rating)
}
