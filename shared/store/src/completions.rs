//! Completions: the feedback of a listing with the seat or the code it brings, in one transaction. The seats are one
//! counter under a condition, so that no more are given than there are; once they are gone nothing is contended.

use aws_sdk_dynamodb::types::AttributeValue;

use super::attributes::{Item, n, s, text};
use super::client::Store;
use super::counters;
use super::deposit::Deposit;
use super::discounts;
use super::error::StoreError;
use super::expression::Expression;
use super::feed;
use super::keys;
use super::listing_item::contact_change;
use super::rates::{Allowance, UsedUp};
use super::transaction::{Outcome, Transaction};
use registry_model::{
    Amounts, Completion, Contact, DiscountCode, FeedItem, Feedback, Grant, Kind, ListingId, Moment, Reward,
    TokenDigest, TrailEvent,
};

/// What a listing is to receive for its feedback.
#[derive(Clone, Copy, Debug)]
pub enum NewReward<'a> {
    /// One of so many founding seats, with the right that its token opens.
    Seat {
        /// How many there are.
        seats: u32,
        /// The digest of the token.
        token: &'a TokenDigest,
        /// What the token opens.
        grant: &'a Grant,
    },
    /// A discount code.
    Code(&'a DiscountCode),
}

/// What is kept of feedback beside its reward.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// The feedback.
    pub feedback: &'a Feedback,
    /// Who may be written to.
    pub contact: &'a Contact,
    /// The digest of the sender's idempotency key, where one was sent.
    pub key_digest: Option<&'a str>,
    /// The values of the listing's trail, as they were read.
    pub trail: Amounts,
}

fn item(completion: &Completion) -> Result<Item, StoreError> {
    let mut item = keys::feedback(&completion.feedback.listing_id).item();
    item.insert("completion".to_owned(), s(serde_json::to_string(completion)?));
    Ok(item)
}

/// How a completion ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionOutcome {
    /// Written.
    Done,
    /// This listing gave its feedback already; nothing was written.
    AlreadyDone,
    /// No seat is left; nothing was written.
    SeatsGone,
    /// It took no demo; nothing was written.
    NotDemoed,
    /// An allowance is used up; nothing was written.
    Limited(UsedUp),
}

impl Store {
    /// The completion of a listing, where it has one.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn completion(&self, id: &ListingId) -> Result<Option<Completion>, StoreError> {
        let answer = self
            .client
            .get_item()
            .table_name(&*self.table)
            .set_key(Some(keys::feedback(id).item()))
            .consistent_read(true)
            .send()
            .await?;
        answer.item.map(|item| Ok(serde_json::from_str(text(&item, "completion"))?)).transpose()
    }

    /// Writes feedback with what it brings, its contact, its counts and its news, once per listing.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn complete(
        &self,
        said: &Said<'_>,
        reward: NewReward<'_>,
        allowance: Option<Allowance<'_>>,
        news: &FeedItem,
    ) -> Result<CompletionOutcome, StoreError> {
        let Said { feedback, contact, key_digest, trail } = said;
        let id = &feedback.listing_id;
        let mut transaction = Transaction::default();
        let completion = Completion {
            feedback: (*feedback).clone(),
            reward: reward.kept(),
            key_digest: key_digest.map(str::to_owned),
        };
        self.put(&mut transaction, item(&completion)?, Some("attribute_not_exists(pk)"))?;
        let yes = || AttributeValue::Bool(true);
        let mark =
            Expression::default().set("feedbacked", yes()).only_if("demoed = :yes", [], [(":yes", yes())]);
        self.update(&mut transaction, &keys::listing(id), &mark)?;
        self.put_reward(&mut transaction, feedback, reward)?;
        self.update(&mut transaction, &keys::live(id), &counted(feedback))?;
        if let Some((key, change)) = contact_change(id, contact) {
            self.update(&mut transaction, &key, &change)?;
        }
        self.put(&mut transaction, feed::to_item(news)?, None)?;
        let mut deposits = vec![Deposit::of(id, TrailEvent::LeaveFeedback).on(Some(*trail))];
        if matches!(reward, NewReward::Seat { .. }) {
            deposits.push(Deposit::of(id, TrailEvent::FoundingClaim));
        }
        self.deposit_all(&mut transaction, &deposits, feedback.at)?;
        let counting =
            allowance.map(|allowance| self.allow(&mut transaction, &allowance, feedback.at)).transpose()?;
        Ok(match self.transact(transaction).await? {
            Outcome::Written => CompletionOutcome::Done,
            Outcome::Refused(positions) if positions.contains(&0) => CompletionOutcome::AlreadyDone,
            Outcome::Refused(positions) if positions.contains(&1) => CompletionOutcome::NotDemoed,
            Outcome::Refused(positions) => counting
                .and_then(|counting| counting.used_up(&positions))
                .map_or(CompletionOutcome::SeatsGone, CompletionOutcome::Limited),
        })
    }

    /// Issues a reward anew in the place of the one that a completion brought; that one opens nothing any longer.
    /// `AlreadyDone` where it was issued anew meanwhile, or its code is held or used by a purchase; then nothing was
    /// written.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn reissue(
        &self,
        before: &Completion,
        reward: NewReward<'_>,
        allowance: Option<Allowance<'_>>,
        now: Moment,
    ) -> Result<CompletionOutcome, StoreError> {
        let mut transaction = Transaction::default();
        let after = Completion { reward: reward.kept(), ..before.clone() };
        let same = Expression::default()
            .set_all(Item::from([("completion".to_owned(), s(serde_json::to_string(&after)?))]))
            .only_if(
                "#completion = :before",
                [("#completion", "completion")],
                [(":before", s(serde_json::to_string(before)?))],
            );
        self.update(&mut transaction, &keys::feedback(&before.feedback.listing_id), &same)?;
        let old = match &before.reward {
            Reward::Seat(digest) => keys::grant(&TokenDigest::of_table(digest)),
            Reward::Code(digest) => keys::discount_code(digest),
        };
        let unspent = match &before.reward {
            Reward::Seat(_) => Expression::default().only_if("attribute_exists(pk)", [], []),
            Reward::Code(_) => discounts::unspent(now),
        };
        self.delete(&mut transaction, &old, Some(&unspent))?;
        match reward {
            NewReward::Seat { token, grant, .. } => self.put_grant(&mut transaction, token, grant)?,
            NewReward::Code(code) => self.put_code(&mut transaction, code, &before.feedback)?,
        }
        let counting =
            allowance.map(|allowance| self.allow(&mut transaction, &allowance, now)).transpose()?;
        Ok(match self.transact(transaction).await? {
            Outcome::Written => CompletionOutcome::Done,
            Outcome::Refused(positions) => counting
                .and_then(|counting| counting.used_up(&positions))
                .map_or(CompletionOutcome::AlreadyDone, CompletionOutcome::Limited),
        })
    }

    fn put_reward(
        &self,
        transaction: &mut Transaction,
        feedback: &Feedback,
        reward: NewReward<'_>,
    ) -> Result<(), StoreError> {
        match reward {
            NewReward::Seat { seats, token, grant } => {
                let claim = Expression::default().add("claimed", 1).only_if(
                    "attribute_not_exists(#claimed) OR #claimed < :seats",
                    [("#claimed", "claimed")],
                    [(":seats", n(seats))],
                );
                self.update(transaction, &keys::seats(), &claim)?;
                self.put_grant(transaction, token, grant)
            }
            NewReward::Code(code) => self.put_code(transaction, code, feedback),
        }
    }

    fn put_code(
        &self,
        transaction: &mut Transaction,
        code: &DiscountCode,
        feedback: &Feedback,
    ) -> Result<(), StoreError> {
        let mut item = keys::discount_code(&code.digest()).item();
        item.insert("listing_id".to_owned(), s(feedback.listing_id.as_str()));
        item.insert("made_at".to_owned(), n(feedback.at.as_millisecond()));
        self.put(transaction, item, Some("attribute_not_exists(pk)"))
    }
}

impl NewReward<'_> {
    fn kept(self) -> Reward {
        match self {
            Self::Seat { token, .. } => Reward::Seat(token.as_str().to_owned()),
            Self::Code(code) => Reward::Code(code.digest()),
        }
    }
}

/// What a completion adds to the counters; the active list shows that it was given.
fn counted(feedback: &Feedback) -> Expression {
    let counter = match feedback.kind {
        Kind::Agent => "feedback_agents",
        Kind::Mcp => "feedback_mcps",
    };
    let rating = i64::from(!feedback.is_draft);
    Expression::default()
        .add("version", 1)
        .add(counter, 1)
        .add(&counters::rated(feedback.sku, feedback.rating), rating)
}
