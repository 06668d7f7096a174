//! Subscriptions to changes, in one partition, and the number of the last change of which all subscribers were told. A job
//! that sends messages reads the whole partition: an item is about 400 bytes, so 10,000 subscriptions cost 1,000 read units.

use aws_sdk_dynamodb::types::ReturnValue;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::attributes::{Item, blob, count, moment, n, number, text, to_blob, ttl};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys::{self, Key};
use super::rates::{Allowance, UsedUp};
use super::reads::Query;
use registry_model::{Moment, Recipient, Subscription, SubscriptionToken, Topic};

/// What does not change.
#[derive(Serialize, Deserialize)]
struct Fixed {
    #[serde(flatten)]
    recipient: Recipient,
    topic: Topic,
    made_at: Moment,
}

fn key(token: &SubscriptionToken) -> Key {
    Key::new(keys::SUBSCRIPTIONS, token.reveal())
}

fn run_key() -> Key {
    Key::new(keys::SUBSCRIPTIONS_TOLD, "TOLD")
}

/// One run that sends messages. Others do not begin until it ends or its time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TellingRun {
    /// All subscribers were told of the changes up to this number, except those that failed or must wait.
    pub told: u64,
    until: Moment,
}

impl Store {
    /// Stores a subscription that is not confirmed; the exceeded limit if it may not be stored.
    pub async fn add_subscription(
        &self,
        subscription: &Subscription,
        allowance: Option<Allowance<'_>>,
    ) -> Result<Option<UsedUp>, StoreError> {
        let Subscription { token, recipient, topic, made_at, .. } = subscription;
        if let Some(used_up) = self.used_up(allowance, *made_at).await? {
            return Ok(Some(used_up));
        }
        let fixed = Fixed { recipient: recipient.clone(), topic: topic.clone(), made_at: *made_at };
        let lost_after = Subscription::CONFIRMED_WITHIN.as_secs();
        let item = key(token).with([
            (keys::SUBSCRIPTION, to_blob(&fixed)?),
            ("next_at", n(made_at.as_millisecond())),
            ttl(*made_at, lost_after),
        ]);
        self.put(item).await?;
        Ok(None)
    }

    pub async fn subscription(&self, token: &SubscriptionToken) -> Result<Option<Subscription>, StoreError> {
        let item = self.read(&key(token), Consistency::Strong).await?;
        item.as_ref().map(of_item).transpose()
    }

    /// All subscriptions, also those that are not confirmed.
    pub async fn subscriptions(&self) -> Result<Vec<Subscription>, StoreError> {
        let (mut found, mut start) = (Vec::new(), None);
        loop {
            // A message would be sent twice if a stale item did not contain that it was sent.
            let page = self.query(Query::of(keys::SUBSCRIPTIONS).strong().after(start)).await?;
            for item in &page.items {
                found.push(of_item(item)?);
            }
            start = page.next;
            if start.is_none() {
                return Ok(found);
            }
        }
    }

    /// Confirms a subscription: its first change is the one after `since`. Nothing changes if it is confirmed already.
    /// False if it does not exist.
    pub async fn confirm_subscription(
        &self,
        token: &SubscriptionToken,
        since: u64,
    ) -> Result<bool, StoreError> {
        let change = Expression::default().set("since", n(since));
        let change =
            ["next_at", "failures", "failing_since", "ttl"].into_iter().fold(change, Expression::remove);
        let is_new = "attribute_exists(pk) AND attribute_not_exists(#since)";
        let change = change.only_if(is_new, [("#since", "since")], []);
        Ok(match self.update_or_found(&key(token), &change, None).await? {
            Ok(_) => true,
            Err(found) => !found.is_empty(),
        })
    }

    /// Stores how far the registry has come with a subscription. Nothing happens if the subscription has ended.
    pub async fn keep_progress(&self, subscription: &Subscription) -> Result<(), StoreError> {
        let Subscription { token, since, next_at, failures, failing_since, .. } = subscription;
        let numbers = [
            ("since", since.map(n)),
            ("next_at", next_at.map(|at| n(at.as_millisecond()))),
            ("failures", (*failures > 0).then(|| n(failures))),
            ("failing_since", failing_since.map(|at| n(at.as_millisecond()))),
        ];
        let change = numbers.into_iter().fold(Expression::default(), |change, (name, value)| match value {
            Some(value) => change.set(name, value),
            None => change.remove(name),
        });
        // A request to confirm may be sent while its recipient confirms: then `since` must stay.
        let change = match since {
            Some(_) => change.if_exists(),
            None => change.only_if(
                "attribute_exists(pk) AND attribute_not_exists(#since)",
                [("#since", "since")],
                [],
            ),
        };
        self.update(&key(token), &change, None).await?;
        Ok(())
    }

    /// False if there was none.
    pub async fn end_subscription(&self, token: &SubscriptionToken) -> Result<bool, StoreError> {
        self.delete(&key(token)).await
    }

    /// Begins a run that sends messages; `None` while another one runs.
    pub async fn begin_telling(
        &self,
        now: Moment,
        at_most: SignedDuration,
    ) -> Result<Option<TellingRun>, StoreError> {
        let until = now + at_most;
        let free = "attribute_not_exists(#until) OR #until < :now";
        let claim = Expression::default().set("until", n(until.as_millisecond())).only_if(
            free,
            [("#until", "until")],
            [(":now", n(now.as_millisecond()))],
        );
        let found = self.update(&run_key(), &claim, Some(ReturnValue::AllNew)).await?;
        Ok(found.map(|item| TellingRun { told: count(&item, "told"), until }))
    }

    /// Ends a run: all subscribers were told of the changes up to `told`. Nothing happens if another run has begun.
    pub async fn end_telling(&self, run: TellingRun, told: u64) -> Result<(), StoreError> {
        let own = [(":own", n(run.until.as_millisecond()))];
        let end = Expression::default().set("told", n(told)).remove("until").only_if(
            "#until = :own",
            [("#until", "until")],
            own,
        );
        self.update(&run_key(), &end, None).await?;
        Ok(())
    }
}

fn of_item(item: &Item) -> Result<Subscription, StoreError> {
    let Fixed { recipient, topic, made_at } = blob(item, keys::SUBSCRIPTION)?;
    let since = item.contains_key("since").then(|| u64::try_from(number(item, "since")).unwrap_or_default());
    Ok(Subscription {
        token: SubscriptionToken::of_table(text(item, "sk")),
        recipient,
        topic,
        made_at,
        since,
        next_at: moment(item, "next_at"),
        failures: count(item, "failures"),
        failing_since: moment(item, "failing_since"),
    })
}
