//! Deposits that reads cause. A search, or a request that reads traces, puts its deposits in memory. A later
//! request writes them in one batch. Deposits in memory are lost when the process ends. This is accepted,
//! because a search must not wait for a write.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};

use crate::prelude::*;
use registry_model::TrailEvent;
use registry_store::{Deposit, Store};

/// A caller counts once in this time at each listing.
const WINDOW: SignedDuration = SignedDuration::from_hours(1);
/// How often a process writes, and how many listings at once.
#[derive(Clone, Copy, Debug)]
struct Pace {
    interval: SignedDuration,
    listings: usize,
}

/// With their ranks and the totals, 25 listings take 51 of the 100 writes of a transaction.
const ALONE: Pace = Pace { interval: SignedDuration::from_secs(10), listings: 25 };
/// Many processes write to the same partitions of the boards, so each of them writes seldom, and little at once.
const AMONG_MANY: Pace = Pace { interval: SignedDuration::from_secs(20), listings: 8 };
/// Deposits in memory; further ones are dropped.
const MAX_PENDING: usize = 2_000;
/// Pairs of caller and listing that are remembered within a window, of all callers and of one.
const MAX_SEEN: usize = 20_000;
const MAX_SEEN_OF_CALLER: u32 = 500;

/// Deposits that this process has not written yet.
#[derive(Clone, Debug, Default)]
pub struct PendingDeposits(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    counts: BTreeMap<(ListingId, TrailEvent), u32>,
    seen: HashSet<u64>,
    seen_of_caller: HashMap<u64, u32>,
    hasher: RandomState,
    window_from: Option<Moment>,
    written_at: Option<Moment>,
    /// The listing with which the next write begins, so that each has its turn.
    next: Option<ListingId>,
}

impl PendingDeposits {
    /// Notes that a caller caused an event at a listing. Repetitions within the hour do not count.
    pub fn note(&self, caller: &Caller, listing: &ListingId, event: TrailEvent, now: Moment) {
        let mut state = self.state();
        if state.window_from.is_none_or(|from| now.duration_since(from) >= WINDOW) {
            state.seen.clear();
            state.seen_of_caller.clear();
            state.window_from = Some(now);
        }
        state.written_at.get_or_insert(now);
        if state.counts.len() >= MAX_PENDING || state.seen.len() >= MAX_SEEN {
            return;
        }
        let source = state.hasher.hash_one((caller.name(), listing.as_str(), event));
        if state.seen.contains(&source) {
            return;
        }
        let caller = state.hasher.hash_one(caller.name());
        let seen = state.seen_of_caller.entry(caller).or_default();
        if *seen < MAX_SEEN_OF_CALLER {
            *seen += 1;
            state.seen.insert(source);
            *state.counts.entry((listing.clone(), event)).or_default() += 1;
        }
    }

    /// Writes noted deposits if it is time to. This takes one read and one transaction. A failed write is repeated later.
    pub async fn flush(&self, store: &Store, now: Moment) {
        let pace = if store.is_sole_writer() { ALONE } else { AMONG_MANY };
        let due = self.take_due(now, pace);
        if due.is_empty() {
            return;
        }
        if let Err(error) = write_counts(store, &due, now).await {
            tracing::warn!(
                error = chain(&error),
                "could not store the trail changes that reads caused; a later request \
                tries again"
            );
            let mut state = self.state();
            for (place, times) in due {
                *state.counts.entry(place).or_default() += times;
            }
        }
    }

    fn take_due(&self, now: Moment, pace: Pace) -> BTreeMap<(ListingId, TrailEvent), u32> {
        let mut state = self.state();
        let is_early = state.written_at.is_some_and(|at| now.duration_since(at) < pace.interval);
        if state.counts.is_empty() || is_early {
            return BTreeMap::new();
        }
        state.written_at = Some(now);
        let first = state.next.take();
        let (mut chosen, mut next) = (Vec::new(), None);
        let (earlier, later): (Vec<_>, Vec<_>) = state
            .counts
            .keys()
            .map(|(listing, _)| listing)
            .partition(|listing| Some(*listing) < first.as_ref());
        for listing in later.into_iter().chain(earlier) {
            if chosen.last() == Some(listing) {
                continue;
            }
            if chosen.len() == pace.listings {
                next = Some(listing.clone());
                break;
            }
            chosen.push(listing.clone());
        }
        state.next = next;
        state.counts.extract_if(.., |(listing, _), _| chosen.contains(listing)).collect()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn write_counts(
    store: &Store,
    due: &BTreeMap<(ListingId, TrailEvent), u32>,
    now: Moment,
) -> Result<(), StoreError> {
    let mut ids: Vec<ListingId> = due.keys().map(|(id, _)| id.clone()).collect();
    ids.dedup();
    let trails = store.trails_of(&ids, now).await?;
    let deposit = |((id, event), times): (&(ListingId, TrailEvent), &u32)| {
        let known = trails.get(id).map(|trail| trail.values).unwrap_or_default();
        let one = Deposit::of(id, *event).on(Some(known));
        Deposit { times: *times, amounts: one.amounts.times(f64::from(*times)), ..one }
    };
    store.write_deposits(&due.iter().map(deposit).collect::<Vec<_>>(), now).await
}

#[cfg(test)]
mod tests;
