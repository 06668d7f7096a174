//! The due queue. Each class of listings has its own partition of an index, in the order of the due times.
//! The registry reads one class after the other, in the order of `specification.md#probe-selection`. One
//! conditional update claims a due listing and also reads it.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::ReturnValue;
use jiff::SignedDuration;

use super::listing_items::{DueClass, not_withdrawn};
use super::trails::{TRAIL, listing_of, trail_of};
use crate::prelude::*;
use registry_model::{Amounts, HashPrefix};

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
    of_class(class).range(Range::Before(key::after_all_at(due)))
}

fn of_class(class: DueClass) -> Query {
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
                trails.extend(listing_of(&item).map(|id| (id, trail_of(&item, now).values)));
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
        let first = self.query(of_class(class).limit(1)).await?.items;
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
