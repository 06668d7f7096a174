//! Stores the outcomes that users report for listings. A report only adds to numbers, so that no concurrent
//! report is lost. Reports of the same source about a listing count at most once an hour. To check this, a
//! report also writes an item that must not exist yet.

use std::collections::{BTreeMap, HashSet};

use super::deposit::Deposit;
use super::rates::Allowance;
use super::trails;
use crate::table::prelude::*;
use registry_model::{Outcome, OutcomeTally, QUALITY_STEPS, TrailEvent};

/// Seconds for which a single report is stored.
const RETENTION: i64 = 30 * 86_400;

/// Reports of failures of the last 24 hours count together.
const FAILURE_HOURS: i64 = 24;

/// A source counts once an hour, so two sources have at most 50 reports of failures in the 25 hours that are read. One more
/// is of a third source.
const MAX_FAILURES: usize = 51;

pub(crate) fn tally_of(item: &Item) -> Option<(ListingId, OutcomeTally)> {
    let id = keys::OUTCOME_TALLY.listing_of(item)?;
    let tally = OutcomeTally {
        count: count(item, "count"),
        ok: count(item, "ok"),
        quality_sum: count(item, "quality"),
        timed: count(item, "timed"),
        latency_ms_sum: count(item, "latency_ms"),
    };
    Some((id, tally))
}

impl Store {
    /// Counts a report. False, and nothing is written, if `source` already reported this listing within the hour.
    pub async fn deposit_outcome(
        &self,
        outcome: &Outcome,
        source: &str,
        allowance: Option<Allowance<'_>>,
    ) -> Result<bool> {
        let (id, now) = (&outcome.listing_id, outcome.at);
        self.count_allowed(allowance, now).await?;
        let hour = now.as_second() / 3600;
        let mut transaction = Transaction::default();
        transaction.put_new(keys::outcome_source(id, source, hour).with([("ttl", n((hour + 2) * 3600))]));
        if !outcome.ok {
            let expires = (hour + FAILURE_HOURS + 2) * 3600;
            transaction.put(keys::failed_outcome(id, source, hour).with([("ttl", n(expires))]));
        }
        let sums = Expression::default()
            .add("count", 1)
            .add("ok", i64::from(outcome.ok))
            .add("quality", i64::from(outcome.quality))
            .add("timed", i64::from(outcome.latency_ms.is_some()))
            .add("latency_ms", i64::from(outcome.latency_ms.unwrap_or_default()));
        transaction.update(keys::OUTCOME_TALLY.of(id), sums);
        let key = Key::new(keys::OUTCOMES, keys::at(now, &outcome.id));
        transaction.put(key.with([("outcome", to_blob(outcome)?), ttl(now, RETENTION)]));
        let quality = Some((outcome.ok, f64::from(outcome.quality) / f64::from(QUALITY_STEPS)));
        let deposit = Deposit { outcome: quality, ..Deposit::of(id, TrailEvent::Outcome) };
        trails::deposit(&mut transaction, &[deposit], now);
        Ok(self.transact(transaction).await?.is_written())
    }

    /// How many different sources reported within the last day that a listing failed, among the first reports: three or
    /// more if there are that many.
    pub async fn failing_sources(&self, id: &ListingId, now: Moment) -> Result<usize> {
        let from = keys::failed_outcomes_since(now.as_second() / 3600 - FAILURE_HOURS);
        let range = Range::Between(from, keys::AFTER_FAILED_OUTCOMES.to_owned());
        let query = Query::of(keys::OUTCOME_TALLY.partition(id))
            .range(range)
            .limit(MAX_FAILURES)
            .strong()
            .keys_only();
        let items = self.query(query).await?.items;
        let source = |item: &Item| text(item, "sk").rsplit('#').next().map(str::to_owned);
        Ok(items.iter().filter_map(source).collect::<HashSet<String>>().len())
    }

    /// The tallies of listings; those without an outcome are left out.
    pub async fn outcomes_of(&self, ids: &[ListingId]) -> Result<BTreeMap<ListingId, OutcomeTally>> {
        let keys = ids.iter().map(|id| keys::OUTCOME_TALLY.of(id)).collect();
        let items = self.batch_get(keys, Consistency::Strong).await?;
        Ok(items.iter().filter_map(tally_of).collect())
    }

    /// The latest reports, the newest first.
    pub async fn recent_outcomes(&self, limit: u32) -> Result<Vec<Outcome>> {
        self.query_blobs(Query::of(keys::OUTCOMES).descending().limit(limit), "outcome").await
    }
}
