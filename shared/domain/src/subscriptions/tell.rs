//! The job that tells subscribers what changed. Each subscriber gets each change once, except if a process stops between a
//! delivery and the note of it: then the message is sent again with the same id.
//!
//! Most subscribers follow one common number. A subscriber whose delivery failed, or who got an e-mail in the last hour, has
//! its own number until it has caught up.

use std::collections::{BTreeMap, HashMap};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use jiff::SignedDuration;
use serde::Serialize;

use registry_app::App;
use registry_model::{BlockedHosts, Change, HostName, ListingId, Moment, Recipient, Subscription};
use registry_store::StoreError;

use super::{mail, webhook};
use crate::changes;

/// Changes that one run reads for a subscriber.
const READ: u32 = 1000;
/// Changes in one message.
const MAX_CHANGES: usize = 100;
/// Messages of one run. If all recipients are slow, it takes less than three minutes.
const MAX_MESSAGES: usize = 1000;
const CONCURRENT: usize = 64;
/// A run that has not ended after this time has crashed.
const MAX_RUN: SignedDuration = SignedDuration::from_mins(5);
/// At least this time is between two e-mails of a subscription.
const BETWEEN_EMAILS: SignedDuration = SignedDuration::from_hours(1);
/// Minutes until a failed delivery is repeated: after the first failure, the second and so on.
const RETRY_MINUTES: [i64; 6] = [1, 5, 30, 120, 360, 720];

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Telling {
    /// Recipients that were asked to confirm.
    pub asked: u32,
    /// Messages about changes.
    pub sent: u32,
    pub failed: u32,
    /// Subscriptions that ended, because nobody confirmed them, the recipient is gone or blocked, or all deliveries failed for
    /// five days.
    pub ended: u32,
}

/// Why a message was not delivered.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The recipient wants no more messages: status 410.
    #[error("the recipient is gone")]
    Gone,
    /// Another attempt may succeed.
    #[error("{0}")]
    Repeat(String),
}

/// What a message is about, or that there is none to send.
enum Due<'a> {
    Nothing,
    /// Not confirmed in time, or the operator blocked the host.
    Lost,
    Question,
    /// No change up to this number is for the subscriber that waited.
    CaughtUp(u64),
    /// These changes, and the number up to which they are all.
    Changes(Vec<&'a Change>, u64),
}

/// Sends what is due. Nothing happens while another run does it.
pub async fn tell(app: &App) -> Result<Telling, StoreError> {
    changes::number_or_warn(app).await;
    let subscriptions = app.store.subscriptions().await?;
    let mut telling = Telling::default();
    if subscriptions.is_empty() {
        return Ok(telling);
    }
    let now = app.clock.now();
    let Some(run) = app.store.begin_telling(now, MAX_RUN).await? else { return Ok(telling) };
    let known = Known::read(app, &subscriptions, run.told, now).await?;
    let due = subscriptions.iter().map(|subscription| (subscription, known.due(subscription, now)));
    let due: Vec<_> = due.filter(|(_, due)| !matches!(due, Due::Nothing)).collect();
    let is_all = due.len() <= MAX_MESSAGES;
    let due = due.into_iter().take(MAX_MESSAGES);
    let messages: Vec<_> = due.map(|(subscription, due)| handle(app, subscription, due, &known)).collect();
    let done: Vec<Telling> = stream::iter(messages).buffer_unordered(CONCURRENT).try_collect().await?;
    for done in done {
        telling.asked += done.asked;
        telling.sent += done.sent;
        telling.failed += done.failed;
        telling.ended += done.ended;
    }
    app.store.end_telling(run, if is_all { known.reached } else { run.told }).await?;
    Ok(telling)
}

/// The changes that a run looks at.
struct Known {
    told: u64,
    /// The number of the last change.
    last: u64,
    /// All subscribers who follow the common number were told up to this one after the run.
    reached: u64,
    /// After each number from which a subscriber needs changes: the changes, and the number up to which they are all.
    after: BTreeMap<u64, (Vec<Change>, u64)>,
    /// The hosts of listings, if a subscription is about a domain.
    hosts: HashMap<ListingId, Vec<HostName>>,
    blocked: BlockedHosts,
}

impl Known {
    async fn read(
        app: &App,
        subscriptions: &[Subscription],
        told: u64,
        now: Moment,
    ) -> Result<Self, StoreError> {
        let last = app.store.last_change().await?;
        let blocked = app.store.blocked_hosts().await?;
        let (after, hosts) = (BTreeMap::new(), HashMap::new());
        let mut known = Self { told, last, reached: last, after, hosts, blocked };
        for subscription in subscriptions.iter().filter(|one| one.next_at.is_none_or(|at| at <= now)) {
            let Some(from) = known.from(subscription) else { continue };
            if from >= last || known.after.contains_key(&from) {
                continue;
            }
            let found = app.store.changes(from, READ, now).await?;
            // While changes are being numbered, there may be none yet. If they are too old to be stored, go on with the next.
            let end = found.changes.last().map_or(from, |change| change.cursor);
            known.after.insert(from, (found.changes, if found.is_expired { last } else { end }));
        }
        let followers = subscriptions.iter().filter(|subscription| subscription.next_at.is_none());
        let ends = followers.filter_map(|subscription| known.after.get(&known.from(subscription)?));
        known.reached = ends.map(|(_, end)| *end).min().unwrap_or(last);
        if subscriptions.iter().any(|subscription| subscription.topic.domain.is_some()) {
            let changes = known.after.values().flat_map(|(changes, _)| changes);
            let ids = changes.filter_map(|change| change.item.listing_id.clone());
            let mut ids: Vec<ListingId> = ids.collect();
            ids.sort();
            ids.dedup();
            let listings = app.store.listings(&ids).await?;
            known.hosts = listings.into_iter().map(|listing| (listing.id.clone(), listing.hosts())).collect();
        }
        Ok(known)
    }

    /// The number of the last change that a subscriber knows; `None` if it is not confirmed.
    fn from(&self, subscription: &Subscription) -> Option<u64> {
        let since = subscription.since?;
        Some(if subscription.next_at.is_none() { since.max(self.told) } else { since })
    }

    fn is_blocked(&self, subscription: &Subscription) -> bool {
        let Recipient::Webhook { url, .. } = &subscription.recipient else { return false };
        HostName::of_url(url).is_some_and(|host| self.blocked.covering(&[host]).is_some())
    }

    fn due(&self, subscription: &Subscription, now: Moment) -> Due<'_> {
        if self.is_blocked(subscription) {
            return Due::Lost;
        }
        let is_waiting = subscription.next_at.is_some();
        let Some(from) = self.from(subscription) else {
            return match subscription.next_at {
                _ if subscription.is_lost(now) => Due::Lost,
                Some(at) if at <= now => Due::Question,
                _ => Due::Nothing,
            };
        };
        if subscription.next_at.is_some_and(|at| at > now) {
            return Due::Nothing;
        }
        // After the last change, there is nothing.
        let (changes, end) =
            self.after.get(&from).map_or((&[][..], self.last), |(changes, end)| (changes.as_slice(), *end));
        let is_at = |id: &ListingId, domain: &HostName| {
            self.hosts.get(id).is_some_and(|hosts| hosts.iter().any(|host| domain.covers(host)))
        };
        let wanted: Vec<&Change> = changes
            .iter()
            .filter(|change| subscription.topic.includes(change, is_at))
            .take(MAX_CHANGES)
            .collect();
        match wanted.last() {
            None if is_waiting => Due::CaughtUp(end),
            None => Due::Nothing,
            Some(full) if wanted.len() == MAX_CHANGES => {
                let end = full.cursor;
                Due::Changes(wanted, end)
            }
            Some(_) => Due::Changes(wanted, end),
        }
    }
}

/// Sends one message and stores the outcome.
async fn handle(
    app: &App,
    subscription: &Subscription,
    due: Due<'_>,
    known: &Known,
) -> Result<Telling, StoreError> {
    let mut done = Telling::default();
    let outcome = match (&due, &subscription.recipient) {
        (Due::Nothing, _) => return Ok(done),
        (Due::Lost, _) => Err(Failure::Gone),
        (Due::CaughtUp(_), _) => Ok(()),
        (Due::Question, Recipient::Webhook { url, key }) => webhook::ask(app, subscription, url, key).await,
        (Due::Question, Recipient::Email { address }) => mail::ask(app, subscription, address).await,
        (Due::Changes(changes, _), Recipient::Webhook { url, key }) => {
            webhook::tell(app, subscription, url, key, changes).await
        }
        (Due::Changes(changes, _), Recipient::Email { address }) => {
            mail::tell(app, subscription, address, changes).await
        }
    };
    let now = app.clock.now();
    let is_webhook = matches!(subscription.recipient, Recipient::Webhook { .. });
    let delivered = Subscription { failures: 0, failing_since: None, ..subscription.clone() };
    match (outcome, due) {
        (Ok(()), Due::Question) if is_webhook => {
            done.asked = 1;
            app.store.confirm_subscription(&subscription.token, known.last).await?;
        }
        (Ok(()), Due::Question) => {
            done.asked = 1;
            app.store.keep_progress(&Subscription { next_at: None, ..delivered }).await?;
        }
        (Ok(()), Due::Changes(_, end)) => {
            done.sent = 1;
            // A webhook that got all changes follows the common number again.
            let next_at =
                if is_webhook { (end < known.last).then_some(now) } else { Some(now + BETWEEN_EMAILS) };
            app.store.keep_progress(&Subscription { since: Some(end), next_at, ..delivered }).await?;
        }
        (Ok(()), Due::CaughtUp(end)) => {
            let next_at = (end < known.last).then_some(now);
            app.store.keep_progress(&Subscription { since: Some(end), next_at, ..delivered }).await?;
        }
        (Ok(()), Due::Nothing | Due::Lost) => {}
        (Err(Failure::Gone), _) => {
            done.ended = 1;
            app.store.end_subscription(&subscription.token).await?;
        }
        (Err(Failure::Repeat(why)), _) => {
            let failing_since = subscription.failing_since.unwrap_or(now);
            // The address is personal, so the log contains only the reason.
            tracing::info!(
                why,
                failures = subscription.failures + 1,
                "a message of a subscription was not delivered"
            );
            if now.duration_since(failing_since) > Subscription::ENDS_AFTER {
                done.ended = 1;
                app.store.end_subscription(&subscription.token).await?;
            } else {
                done.failed = 1;
                app.store.keep_progress(&failed(subscription, known, failing_since, now)).await?;
            }
        }
    }
    Ok(done)
}

fn failed(subscription: &Subscription, known: &Known, since: Moment, now: Moment) -> Subscription {
    let retries = RETRY_MINUTES.get(usize::try_from(subscription.failures).unwrap_or(usize::MAX));
    let minutes = retries.or(RETRY_MINUTES.last()).copied().unwrap_or(1);
    Subscription {
        since: known.from(subscription),
        next_at: Some(now + SignedDuration::from_mins(minutes)),
        failures: subscription.failures.saturating_add(1),
        failing_since: Some(since),
        ..subscription.clone()
    }
}
