//! The outcomes that users report for listings, and the figures of the economy: hourly samples for curves, and the amounts
//! that the operator added by hand. Outcomes, trails and these amounts together decide the boost of a listing, a number that can
//! move the listing up in search results.
//!
//! A report of an outcome only adds to numbers, so that no concurrent report is lost. Reports of the same source about a
//! listing count at most once an hour. To check this, a report also writes an item that must not exist yet.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::trails::{EventTotal, TRAIL_TOTALS, TrailTotals, listing_and_trail, sum_left, trail_totals_keys};
use crate::prelude::*;
use registry_model::{
    Decay, EconomyTotals, Outcome, OutcomeTally, QUALITY_STEPS, Trail, TrailEvent, sha256_hex,
};

/// The sums of the reports about a listing.
pub(super) const OUTCOME_TALLY: KeyPattern = KeyPattern::new("OUTCOME#", "TALLY");
/// Exists where a source had its outcome of a listing counted in an hour.
pub(super) const OUTCOME_SOURCE: KeyPattern = KeyPattern::new(OUTCOME_TALLY.prefix, "SOURCE#");
/// Exists where a source reported in an hour that a listing failed. Sorts by time.
pub(super) const OUTCOME_FAILURE: KeyPattern = KeyPattern::new(OUTCOME_TALLY.prefix, "FAILED#");
/// A single report, by time.
pub(super) const OUTCOME: Record<Outcome> = Record::new("OUTCOMES", "", "outcome").stored_for(30 * 86_400);

/// Sorts after every report of a failure.
const AFTER_FAILED: &str = "FAILED$";

/// Reports of failures of the last 24 hours count together.
const FAILURE_HOURS: i64 = 24;

/// A source counts once an hour, so two sources have at most 50 reports of failures in the 25 hours that are read. One more
/// is of a third source.
const MAX_FAILURES: usize = 51;

fn outcome_tally(item: &Item) -> Option<(ListingId, OutcomeTally)> {
    let id = OUTCOME_TALLY.listing_of(item)?;
    let tally = OutcomeTally {
        count: unsigned(item, "count"),
        ok: unsigned(item, "ok"),
        quality_sum: unsigned(item, "quality"),
        timed: unsigned(item, "timed"),
        latency_ms_sum: unsigned(item, "latency_ms"),
    };
    Some((id, tally))
}

impl Store {
    /// Counts a report. False, and nothing is written, if `source` already reported this listing within the hour.
    pub async fn deposit_outcome(&self, outcome: &Outcome, source: &str, act: Act<'_>) -> Result<bool> {
        let (id, now) = (&outcome.listing_id, outcome.at);
        self.count_allowed(act, now).await?;
        let hour = now.as_second() / 3600;
        let mut transaction = Transaction::default();
        let digest = sha256_hex(source);
        let counted = OUTCOME_SOURCE.one_of(id, format_args!("{digest}#{hour}"));
        transaction.put_new(counted.with([("ttl", n((hour + 2) * 3600))]));
        if !outcome.ok {
            let expires = (hour + FAILURE_HOURS + 2) * 3600;
            let failed = OUTCOME_FAILURE.one_of(id, format_args!("{hour:010}#{digest}"));
            transaction.put(failed.with([("ttl", n(expires))]));
        }
        let sums = Expression::default()
            .add("count", 1)
            .add("ok", outcome.ok)
            .add("quality", outcome.quality)
            .add("timed", outcome.latency_ms.is_some())
            .add("latency_ms", outcome.latency_ms.unwrap_or_default());
        transaction.update(OUTCOME_TALLY.of(id), sums);
        transaction.put(OUTCOME.expiring_item(&OUTCOME.at(now, &outcome.id), outcome, now)?);
        let quality = Some((outcome.ok, f64::from(outcome.quality) / f64::from(QUALITY_STEPS)));
        let deposit = Deposit { outcome: quality, ..Deposit::of(id, TrailEvent::Outcome) };
        transaction.add_deposits(&[deposit], now);
        self.commit(transaction).await
    }

    /// How many different sources reported within the last day that a listing failed, among the first reports: three or
    /// more if there are that many.
    pub async fn failing_sources(&self, id: &ListingId, now: Moment) -> Result<usize> {
        let first_hour = now.as_second() / 3600 - FAILURE_HOURS;
        let from = OUTCOME_FAILURE.one_of(id, format_args!("{first_hour:010}"));
        let query = Query::of(from.pk).range(Range::Between(from.sk, AFTER_FAILED.to_owned()));
        let items = self.query(query.limit(MAX_FAILURES).strong().keys_only()).await?.items;
        let source = |item: &Item| text(item, "sk").rsplit('#').next().map(str::to_owned);
        Ok(items.iter().filter_map(source).collect::<HashSet<String>>().len())
    }

    /// The tallies of listings; those without an outcome are left out.
    pub async fn outcomes_of(&self, ids: &[ListingId]) -> Result<BTreeMap<ListingId, OutcomeTally>> {
        let items = self.batch_get(OUTCOME_TALLY.all(ids), Consistency::Strong).await?;
        Ok(items.iter().filter_map(outcome_tally).collect())
    }

    /// The latest reports, the newest first.
    pub async fn recent_outcomes(&self, limit: u32) -> Result<Vec<Outcome>> {
        self.list(&OUTCOME, OUTCOME.query().descending().limit(limit)).await
    }
}

/// The samples of full hours, by time.
pub(super) const SAMPLE: Record<EconomySample> = Record::new("ECONOMY", "", "sample").stored_for(40 * 86_400);
/// What the operator added to the acceleration index.
pub(super) const ECONOMY_BUMPS: KeyPattern = KeyPattern::new("ECONOMY#BUMPS", "BUMPS");

/// The attribute with the sum of what the operator added.
const BUMPS: &str = "adds";

/// The registry at a full hour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EconomySample {
    pub at: Moment,
    pub acceleration_index: f64,
    pub counts: EconomyTotals,
}

/// What boosts are computed from; listings without a trail or an outcome are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoostInputs {
    pub trails: BTreeMap<ListingId, Trail>,
    pub outcomes: BTreeMap<ListingId, OutcomeTally>,
    pub totals: TrailTotals,
    pub bumps: EventTotal,
}

impl Store {
    pub async fn has_economy_sample(&self, at: Moment) -> Result<bool> {
        Ok(self.read_with(&sample_key(at), Consistency::Eventual).await?.is_some())
    }

    /// Stores the sample of an hour; false if the hour already has a sample, for example if a tick is delivered twice.
    pub async fn keep_economy_sample(&self, sample: &EconomySample) -> Result<bool> {
        self.put_new(SAMPLE.expiring_item(&sample_key(sample.at), sample, sample.at)?).await
    }

    /// The latest samples, the newest first.
    pub async fn economy_samples(&self, limit: u32) -> Result<Vec<EconomySample>> {
        self.list(&SAMPLE, SAMPLE.query().descending().limit(limit)).await
    }

    /// Adds an amount of the operator to the acceleration index. The sum of these amounts falls with time like the sum
    /// of the events, and is stored separately.
    pub async fn add_bump(&self, adds: f64, now: Moment) -> Result<()> {
        let change = Expression::default().add_scaled(BUMPS, Decay::RECENT, adds, now).add("count", 1);
        self.update(&ECONOMY_BUMPS.key(), &change, None).await.map(drop)
    }

    /// How often the operator added an amount, and what is left of the sum. Contains the amount that was just added.
    pub async fn bumps(&self, now: Moment) -> Result<EventTotal> {
        let item = self.read(&ECONOMY_BUMPS.key()).await?;
        Ok(bumps_in(&item.unwrap_or_default(), now))
    }

    /// The data from which the boosts of these listings are computed, by one batch read. A search shows a boost with
    /// each hit, so there must not be one read per listing.
    pub async fn boost_inputs(&self, ids: &[ListingId], now: Moment) -> Result<BoostInputs> {
        let bumps = ECONOMY_BUMPS.key();
        let of_listings = ids.iter().flat_map(|id| [TRAIL.of(id), OUTCOME_TALLY.of(id)]);
        let keys = of_listings.chain(trail_totals_keys()).chain([bumps.clone()]).collect();
        let read = |missing| self.batch_get(missing, Consistency::Eventual);
        let items = self.read_cache.boosts(keys, read).await?;
        let of_partition =
            |pk: &str| items.iter().filter(|item| text(item, "pk") == pk).cloned().collect::<Vec<Item>>();
        Ok(BoostInputs {
            trails: items.iter().filter_map(|item| listing_and_trail(item, now)).collect(),
            outcomes: items.iter().filter_map(outcome_tally).collect(),
            totals: TrailTotals::of_items(&of_partition(TRAIL_TOTALS.prefix), now),
            bumps: of_partition(&bumps.pk).first().map(|item| bumps_in(item, now)).unwrap_or_default(),
        })
    }
}

fn sample_key(at: Moment) -> Key {
    SAMPLE.one(key::millis(at.rounded_down(3600)))
}

fn bumps_in(item: &Item, now: Moment) -> EventTotal {
    let recent = sum_left(std::slice::from_ref(item), BUMPS, Decay::RECENT, now);
    EventTotal { count: unsigned(item, "count"), recent }
}
