//! Stores the outcomes that users report for listings. A report only adds to numbers, so that no concurrent
//! report is lost. Reports of the same source about a listing count at most once an hour. To check this, a
//! report also writes an item that must not exist yet.

use std::collections::{BTreeMap, HashSet};

use crate::prelude::*;
use registry_model::{Outcome, OutcomeTally, QUALITY_STEPS, TrailEvent, sha256_hex};

/// The sums of the reports about a listing.
pub(super) const TALLY: KeyPattern = KeyPattern::new("OUTCOME#", "TALLY");
/// Exists where a source had its outcome of a listing counted in an hour.
pub(super) const SOURCE: KeyPattern = KeyPattern::new(TALLY.prefix, "SOURCE#");
/// Exists where a source reported in an hour that a listing failed. Sorts by time.
pub(super) const FAILED: KeyPattern = KeyPattern::new(TALLY.prefix, "FAILED#");
/// A single report, by time.
pub(super) const OUTCOME: Record<Outcome> = Record::new("OUTCOMES", "", "outcome").stored_for(30 * 86_400);

/// Sorts after every report of a failure.
const AFTER_FAILED: &str = "FAILED$";

/// Reports of failures of the last 24 hours count together.
const FAILURE_HOURS: i64 = 24;

/// A source counts once an hour, so two sources have at most 50 reports of failures in the 25 hours that are read. One more
/// is of a third source.
const MAX_FAILURES: usize = 51;

pub(super) fn tally_of(item: &Item) -> Option<(ListingId, OutcomeTally)> {
    let id = TALLY.listing_of(item)?;
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
        let counted = SOURCE.one_of(id, format_args!("{digest}#{hour}"));
        transaction.put_new(counted.with([("ttl", n((hour + 2) * 3600))]));
        if !outcome.ok {
            let expires = (hour + FAILURE_HOURS + 2) * 3600;
            let failed = FAILED.one_of(id, format_args!("{hour:010}#{digest}"));
            transaction.put(failed.with([("ttl", n(expires))]));
        }
        let sums = Expression::default()
            .add("count", 1)
            .add("ok", outcome.ok)
            .add("quality", outcome.quality)
            .add("timed", outcome.latency_ms.is_some())
            .add("latency_ms", outcome.latency_ms.unwrap_or_default());
        transaction.update(TALLY.of(id), sums);
        transaction.put(OUTCOME.item(&OUTCOME.at(now, &outcome.id), outcome, now)?);
        let quality = Some((outcome.ok, f64::from(outcome.quality) / f64::from(QUALITY_STEPS)));
        let deposit = Deposit { outcome: quality, ..Deposit::of(id, TrailEvent::Outcome) };
        deposits::add(&mut transaction, &[deposit], now);
        self.commit(transaction).await
    }

    /// How many different sources reported within the last day that a listing failed, among the first reports: three or
    /// more if there are that many.
    pub async fn failing_sources(&self, id: &ListingId, now: Moment) -> Result<usize> {
        let first_hour = now.as_second() / 3600 - FAILURE_HOURS;
        let from = FAILED.one_of(id, format_args!("{first_hour:010}"));
        let query = Query::of(from.pk).range(Range::Between(from.sk, AFTER_FAILED.to_owned()));
        let items = self.query(query.limit(MAX_FAILURES).strong().keys_only()).await?.items;
        let source = |item: &Item| text(item, "sk").rsplit('#').next().map(str::to_owned);
        Ok(items.iter().filter_map(source).collect::<HashSet<String>>().len())
    }

    /// The tallies of listings; those without an outcome are left out.
    pub async fn outcomes_of(&self, ids: &[ListingId]) -> Result<BTreeMap<ListingId, OutcomeTally>> {
        let items = self.batch_get(TALLY.all(ids), Consistency::Strong).await?;
        Ok(items.iter().filter_map(tally_of).collect())
    }

    /// The latest reports, the newest first.
    pub async fn recent_outcomes(&self, limit: u32) -> Result<Vec<Outcome>> {
        self.list(&OUTCOME, Query::of(OUTCOME.prefix).descending().limit(limit)).await
    }
}
