//! Which listings are probed, and when: the due queue, the probe budget and the ticks (the scheduled runs of probes).
//!
//! Each class of listings has its own partition of an index, in the order of the due times. The registry reads one class
//! after the other, in the order of `specification.md#probe-selection`. One conditional update claims a due listing and also
//! reads it.
//!
//! The budget (`specification.md#probe-budget`) limits the probes of each window of two minutes, of each hour, and of each UTC
//! day. A sweep takes probes from the budget with a conditional add. So several sweeps at the same time never exceed a limit.
//! Listings that anybody can publish get only a part of it, so that they do not delay rechecks and listings of proven owners.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::ReturnValue;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::listings::{DueClass, not_withdrawn};
use super::trails::listing_and_trail;
use crate::prelude::*;
use registry_model::{Amounts, HashPrefix};
use registry_settings::Settings;

/// Entries of the queue per page. A page takes one batch read, or two if the trails are read, too.
const PAGE: i32 = 100;

/// A claim accepts a due time that is this far in the future, because the publisher's clock may be ahead of the prober's.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(60);

/// How often strangers can make a listing due. More probes would only cost the listing and the budget.
const MIN_HASTE_INTERVAL: SignedDuration = SignedDuration::from_hours(6);

/// The most listings that [`Store::rechecks_due`] counts.
const MAX_COUNTED: i32 = 1000;

type DueItems = (HashMap<ListingId, Listing>, HashMap<ListingId, Amounts>);

/// Where the next page of due listings begins.
#[derive(Clone, Debug)]
pub struct DueCursor(pub(super) Item);

/// A request to probe one listing.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    pub id: &'a ListingId,
    /// The token with which the verdict must be written.
    pub mark: &'a str,
    pub now: Moment,
    /// Milliseconds until the claim expires if the worker crashes.
    pub lease_ms: i64,
    /// The minimum time since the last probe of the listing, in milliseconds.
    pub min_interval_ms: i64,
    /// A Live listing is claimed up to this due time, also if it is later than `now`.
    pub live_due: Moment,
}

/// The listings of a class that are due before `due`, the longest waiting first.
fn due_query(class: DueClass, due: Moment) -> Query {
    class_query(class).range(Range::Before(key::after_all_at(due)))
}

fn class_query(class: DueClass) -> Query {
    Query::of(class.as_str()).index(table::DUE)
}

impl Store {
    /// A page of the listings of a class that are due before `due`; the listing that has waited longest is first. The
    /// listings are up to date. The index may be older, so some may be due later, for example after a probe.
    pub async fn due(
        &self,
        class: DueClass,
        due: Moment,
        from: Option<DueCursor>,
    ) -> Result<(Vec<Listing>, Option<DueCursor>)> {
        let (ids, next) = self.due_ids(class, due, from).await?;
        let (mut listings, _) = self.due_items(LISTING.all(&ids), due, Consistency::Strong).await?;
        Ok((ids.iter().filter_map(|id| listings.remove(id)).collect(), next))
    }

    /// Like [`Store::due`], for the listings of `part`, with the values of their trails, and without the listings whose own
    /// due time is later. An eventual read is enough, because a worker claims a listing before it probes the listing.
    pub async fn due_with_trails(
        &self,
        class: DueClass,
        due: Moment,
        part: HashPrefix,
        from: Option<DueCursor>,
    ) -> Result<(Vec<(Listing, Amounts)>, Option<DueCursor>)> {
        let (mut ids, next) = self.due_ids(class, due, from).await?;
        ids.retain(|id| part.matches(id));
        let keys = ids.iter().flat_map(|id| [LISTING.of(id), TRAIL.of(id)]).collect();
        let (mut listings, trails) = self.due_items(keys, due, Consistency::Eventual).await?;
        let found = |id: &ListingId| {
            let listing = listings.remove(id).filter(|listing| listing.schedule.due_at <= due)?;
            Some((listing, trails.get(id).copied().unwrap_or_default()))
        };
        Ok((ids.iter().filter_map(found).collect(), next))
    }

    async fn due_ids(
        &self,
        class: DueClass,
        due: Moment,
        from: Option<DueCursor>,
    ) -> Result<(Vec<ListingId>, Option<DueCursor>)> {
        let query = due_query(class, due);
        let page = self.query(query.after(from.map(|DueCursor(key)| key)).limit(PAGE)).await?;
        let ids = page.items.iter().filter_map(|item| LISTING.listing_of(item)).collect();
        Ok((ids, page.next.map(DueCursor)))
    }

    /// The listings, and the values of the trails, under these keys.
    async fn due_items(&self, keys: Vec<Key>, now: Moment, consistency: Consistency) -> Result<DueItems> {
        let (mut listings, mut trails) = (HashMap::with_capacity(keys.len()), HashMap::new());
        for item in self.batch_get(keys, consistency).await? {
            if TRAIL.matches(&item) {
                trails.extend(listing_and_trail(&item, now).map(|(id, trail)| (id, trail.values)));
            } else {
                let listing: Listing = serde_dynamo::from_item(item)?;
                listings.insert(listing.id.clone(), listing);
            }
        }
        Ok((listings, trails))
    }

    /// How many listings of a class are due at `now`. Counting stops after the page that reaches `most`.
    pub async fn due_count(&self, class: DueClass, now: Moment, most: u32) -> Result<u32> {
        let (mut total, mut next) = (0, None);
        loop {
            let (count, more) = self.count(due_query(class, now).after(next)).await?;
            total += count;
            next = more;
            if next.is_none() || total >= most {
                return Ok(total);
            }
        }
    }

    /// How many Live and gated listings whose last probe passed are due for a recheck (counted up to one page of the index),
    /// and when the next one is due, at a full hour if its last probe failed.
    pub async fn rechecks_due(&self, now: Moment) -> Result<(u32, Option<Moment>)> {
        let [confirming, weekly] = DueClass::OF_A_RECHECK;
        let waiting = self.count(due_query(weekly, now).limit(MAX_COUNTED));
        let firsts = (self.first_due(confirming), self.first_due(weekly));
        let ((waiting, _), failing, passing) = futures::try_join!(waiting, firsts.0, firsts.1)?;
        // Only the recheck, at each full hour, probes a failing listing.
        let hour = |due: Moment| (due.max(now) + SignedDuration::from_millis(3_599_999)).rounded_down(3600);
        Ok((waiting, failing.map(hour).into_iter().chain(passing).min()))
    }

    /// For how long the longest waiting Live listing has been due for its recheck; zero where none is. A listing that is
    /// claimed is not waiting.
    pub async fn oldest_overdue_recheck(&self, now: Moment) -> Result<Duration> {
        let [confirming, weekly] = DueClass::OF_A_RECHECK;
        let (confirming, weekly) = futures::try_join!(self.first_due(confirming), self.first_due(weekly))?;
        let waited = [confirming, weekly].into_iter().flatten().map(|due| now.duration_since(due));
        Ok(waited.max().and_then(|waited| waited.try_into().ok()).unwrap_or_default())
    }

    async fn first_due(&self, class: DueClass) -> Result<Option<Moment>> {
        let first = self.query(class_query(class).limit(1)).await?.items;
        Ok(first.first().and_then(|item| key::time_of(text(item, table::DUE.key[1]))))
    }

    /// Claims a listing for a probe and reads it. `None` where another worker has claimed it, it was probed less than
    /// `min_interval_ms` ago and nobody requested a probe at once, or it is not due, withdrawn or unknown. A claim that is
    /// delivered twice fails the second time, however late it arrives.
    pub async fn claim(&self, claim: &Claim<'_>) -> Result<Option<Listing>> {
        let until = claim.now.as_millisecond() + claim.lease_ms;
        let update = not_withdrawn()
            .set("lease", s(claim.mark))
            .set("lease_until", n(until))
            .set("gsi2sk", s(format!("{until:013}#{}", claim.id)))
            .add("attempts", 1)
            .if_is("lease_until", "<", ms(claim.now))
            .only_if(
                "(attribute_not_exists(asked_at) OR asked_at <= :rested OR at_once = :at_once) \
                 AND (gsi2sk < :due OR (gsi2pk = :live AND gsi2sk < :live_due))",
                [],
                [
                    (":rested", n(claim.now.as_millisecond() - claim.min_interval_ms)),
                    (":at_once", yes()),
                    (":due", s(key::after_all_at(claim.now + MAX_CLOCK_SKEW))),
                    (":live", s(DueClass::WeeklyDue.as_str())),
                    (":live_due", s(key::after_all_at(claim.live_due))),
                ],
            );
        let claimed = self.update(&LISTING.of(claim.id), &update, Some(ReturnValue::AllNew)).await?;
        Ok(claimed.map(serde_dynamo::from_item).transpose()?)
    }

    /// Makes a Live or gated listing due now. False where it is due already, is being probed, failed its last probe, or was
    /// made due less than [`MIN_HASTE_INTERVAL`] ago.
    pub async fn hasten(&self, id: &ListingId, now: Moment) -> Result<bool> {
        let update = Expression::default()
            .set("due_at", serde_dynamo::to_attribute_value(now)?)
            .set("gsi2sk", s(key::at(now, id.as_str())))
            .set("hastened_at", ms(now))
            .if_equal("gsi2pk", s(DueClass::WeeklyDue.as_str()))
            .if_is("gsi2sk", ">", s(key::after_all_at(now)))
            .if_is("lease_until", "<", ms(now))
            .if_missing_or("hastened_at", "<=", n((now - MIN_HASTE_INTERVAL).as_millisecond()));
        Ok(self.update(&LISTING.of(id), &update, None).await?.is_some())
    }

    /// Postpones a claimed listing: if its verdict is never recorded, it is due at `until`. False where the lease was
    /// lost.
    pub async fn postpone(&self, listing: &Listing, until: Moment) -> Result<bool> {
        let update = Expression::default().set("gsi2sk", s(key::at(until, listing.id.as_str())));
        self.change_claimed(listing, update).await
    }

    /// Releases a claimed listing without a probe, because the budget was used up; it keeps its place in the queue.
    pub async fn release(&self, listing: &Listing, now: Moment) -> Result<()> {
        // A due time within the skew is that of a faster clock; a later one is that of a Live listing with an old proof.
        let is_due = listing.schedule.due_at <= now + MAX_CLOCK_SKEW;
        let due = if is_due { listing.schedule.due_at.min(now) } else { listing.schedule.due_at };
        let update = Expression::default()
            .set("lease_until", n(0))
            .set("gsi2sk", s(key::at(due, listing.id.as_str())))
            .remove("lease")
            .remove("attempts");
        self.change_claimed(listing, update).await.map(drop)
    }

    /// Changes a listing under its lease; false where the lease was lost. After an error the lease expires by itself.
    async fn change_claimed(&self, listing: &Listing, change: Expression) -> Result<bool> {
        let Some(lease) = &listing.schedule.lease.token else { return Ok(false) };
        let change = change.if_equal("lease", s(lease));
        Ok(self.update(&LISTING.of(&listing.id), &change, None).await?.is_some())
    }
}

pub(super) const BUDGET: KeyPattern = KeyPattern::new("BUDGET#", "BUDGET");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// In a window of two minutes.
    pub window: u32,
    pub hour: u32,
    /// In a UTC day.
    pub day: u32,
}

impl Caps {
    pub const fn of(settings: &Settings) -> Self {
        Self {
            window: settings.probe_window_cap,
            hour: settings.probe_hourly_cap,
            day: settings.probe_daily_budget,
        }
    }

    /// In an hour, for the listings of one domain that have never been Live.
    fn of_domain(self) -> u32 {
        (self.hour / 16).max(1)
    }
}

/// The part of a cap for all unproven listings together.
const fn for_unproven(cap: u32) -> u32 {
    cap.div_ceil(2)
}

/// The part of the budget from which a listing is probed. The default is that of a listing that has been Live.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// The listing has never been Live, and no publisher has proven its name or domain.
    pub is_unproven: bool,
    /// The registrable domain of a listing that has never been Live: the proven one, otherwise that of its URL.
    pub domain: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// For a window, the number of such windows since the epoch: `1495132` began 1495132 x 120 s after the epoch.
    pub name: String,
    pub used: u32,
    /// Of these, the probes of unproven listings.
    pub unproven: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BudgetState {
    pub window: Bucket,
    pub hour: Bucket,
    pub day: Bucket,
}

impl BudgetState {
    /// The probes left, for unproven listings or for others.
    pub fn left(&self, caps: Caps, is_unproven: bool) -> u32 {
        let left = |bucket: &Bucket, cap: u32| {
            let most = if is_unproven { for_unproven(cap).saturating_sub(bucket.unproven) } else { cap };
            cap.saturating_sub(bucket.used).min(most)
        };
        left(&self.window, caps.window).min(left(&self.hour, caps.hour)).min(left(&self.day, caps.day))
    }
}

impl Store {
    /// Takes up to `wanted` probes from the budget and returns how many it took.
    pub async fn take_probes(&self, wanted: u32, share: &Share, caps: Caps, now: Moment) -> Result<u32> {
        let mut wanted = wanted.min(BudgetState::default().left(caps, share.is_unproven));
        if share.domain.is_some() {
            wanted = wanted.min(caps.of_domain());
        }
        for _ in 0..4 {
            if wanted == 0 {
                return Ok(0);
            }
            if self.take_exactly(wanted, share, caps, now).await? {
                return Ok(wanted);
            }
            wanted = wanted.min(self.left(share, caps, now).await?);
        }
        Ok(0)
    }

    async fn left(&self, share: &Share, caps: Caps, now: Moment) -> Result<u32> {
        let left = self.budget(now).await?.left(caps, share.is_unproven);
        let Some(BudgetBucket { key, .. }) = bucket_of_domain(share, now) else { return Ok(left) };
        let items = self.batch_get(vec![key], Consistency::Strong).await?;
        let used = items.first().map_or(0, |item| unsigned(item, "used"));
        Ok(left.min(caps.of_domain().saturating_sub(used)))
    }

    pub async fn budget(&self, now: Moment) -> Result<BudgetState> {
        let buckets = buckets_at(now);
        let keys = buckets.iter().map(|bucket| bucket.key.clone()).collect();
        let items = self.batch_get(keys, Consistency::Strong).await?;
        let [window, hour, day] = buckets.map(|BudgetBucket { name, key, .. }| {
            let item = items.iter().find(|item| text(item, "pk") == key.pk);
            let count = |attribute| item.map_or(0, |item| unsigned(item, attribute));
            Bucket { name, used: count("used"), unproven: count(UNPROVEN) }
        });
        Ok(BudgetState { window, hour, day })
    }

    async fn take_exactly(&self, amount: u32, share: &Share, caps: Caps, now: Moment) -> Result<bool> {
        let room = |cap: u32| n(cap.saturating_sub(amount));
        let take = |expires: i64, cap: u32| {
            let take = Expression::default().add("used", amount).set("ttl", n(expires));
            take.if_missing_or("used", "<=", room(cap))
        };
        let mut transaction = Transaction::default();
        for (bucket, cap) in buckets_at(now).into_iter().zip([caps.window, caps.hour, caps.day]) {
            let mut take = take(bucket.expires, cap);
            if share.is_unproven {
                let take_unproven = take.add(UNPROVEN, amount);
                take = take_unproven.if_missing_or(UNPROVEN, "<=", room(for_unproven(cap)));
            }
            transaction.update(bucket.key, take);
        }
        if let Some(bucket) = bucket_of_domain(share, now) {
            transaction.update(bucket.key, take(bucket.expires, caps.of_domain()));
        }
        self.commit(transaction).await
    }
}

/// The attribute of a bucket that counts the probes of unproven listings.
const UNPROVEN: &str = "unproven";

struct BudgetBucket {
    name: String,
    key: Key,
    /// Seconds since the epoch.
    expires: i64,
}

fn bucket_at(span: &str, name: String, seconds: i64, now: Moment) -> BudgetBucket {
    let key = Key::new(format!("{}{span}#{name}", BUDGET.prefix), BUDGET.sort);
    BudgetBucket { key, name, expires: now.as_second() + 2 * seconds }
}

fn buckets_at(now: Moment) -> [BudgetBucket; 3] {
    let second = now.as_second();
    [
        bucket_at("window", (second / 120).to_string(), 3600, now),
        bucket_at("hour", (second / 3600).to_string(), 86_400, now),
        bucket_at("day", now.utc_day(), 7 * 86_400, now),
    ]
}

/// Strangers can publish unproven listings at any domain, so these have a bucket of their own.
fn bucket_of_domain(share: &Share, now: Moment) -> Option<BudgetBucket> {
    let span = if share.is_unproven { "domain" } else { "proven" };
    let name = format!("{}#{}", share.domain.as_ref()?, now.as_second() / 3600);
    Some(bucket_at(span, name, 3600, now))
}

pub(super) const TICK_REPORT: KeyPattern = KeyPattern::new("CLOCK", "TICK");
/// Exists where a slot of the schedule is taken.
pub(super) const SLOT: KeyPattern = KeyPattern::new("SLOT#", "SLOT");

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TickReport {
    /// When the last tick ended.
    pub last_tick_at: Option<Moment>,
    /// When a tick last had an `ok` probe.
    pub last_ok_tick_at: Option<Moment>,
    /// Probes of the last tick.
    pub last_used: u32,
    pub ticks: u32,
}

impl Store {
    /// Takes a slot of the schedule; false if another delivery of the same tick has already taken it.
    pub async fn take_slot(&self, job: &str, slot: i64, now: Moment) -> Result<bool> {
        let taken = SLOT.of(format!("{job}#{slot}")).with([ttl(now, 86_400)]);
        self.put_new(taken).await
    }

    pub async fn note_tick(&self, any_ok: bool, used: u32, now: Moment) -> Result<()> {
        let mut change = Expression::default()
            .set("last_tick_at", s(now.to_string()))
            .set("last_used", n(used))
            .add("ticks", 1);
        if any_ok {
            change = change.set("last_ok_tick_at", s(now.to_string()));
        }
        self.update(&TICK_REPORT.key(), &change, None).await.map(drop)
    }

    pub async fn tick_report(&self) -> Result<TickReport> {
        let item = self.read_with(&TICK_REPORT.key(), Consistency::Eventual).await?.unwrap_or_default();
        Ok(serde_dynamo::from_item(item)?)
    }
}
