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
pub struct PendingDeposits(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
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
        let mut held = self.held();
        if held.window_from.is_none_or(|from| now.duration_since(from) >= WINDOW) {
            held.seen.clear();
            held.seen_of_caller.clear();
            held.window_from = Some(now);
        }
        held.written_at.get_or_insert(now);
        if held.counts.len() >= MAX_PENDING || held.seen.len() >= MAX_SEEN {
            return;
        }
        let source = held.hasher.hash_one((caller.name(), listing.as_str(), event));
        if held.seen.contains(&source) {
            return;
        }
        let caller = held.hasher.hash_one(caller.name());
        let seen = held.seen_of_caller.entry(caller).or_default();
        if *seen < MAX_SEEN_OF_CALLER {
            *seen += 1;
            held.seen.insert(source);
            *held.counts.entry((listing.clone(), event)).or_default() += 1;
        }
    }

    /// Writes noted deposits if it is time to. This takes one read and one transaction. A failed write is repeated later.
    pub async fn flush(&self, store: &Store, now: Moment) {
        let pace = if store.is_sole_writer() { ALONE } else { AMONG_MANY };
        let due = self.take_due(now, pace);
        if due.is_empty() {
            return;
        }
        if let Err(error) = write(store, &due, now).await {
            tracing::warn!(%error, "could not store the trail changes that reads caused; a later request \
                tries again");
            let mut held = self.held();
            for (place, times) in due {
                *held.counts.entry(place).or_default() += times;
            }
        }
    }

    fn take_due(&self, now: Moment, pace: Pace) -> BTreeMap<(ListingId, TrailEvent), u32> {
        let mut held = self.held();
        let is_early = held.written_at.is_some_and(|at| now.duration_since(at) < pace.interval);
        if held.counts.is_empty() || is_early {
            return BTreeMap::new();
        }
        held.written_at = Some(now);
        let first = held.next.take();
        let (mut chosen, mut next) = (Vec::new(), None);
        let (earlier, later): (Vec<_>, Vec<_>) = held
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
        held.next = next;
        held.counts.extract_if(.., |(listing, _), _| chosen.contains(listing)).collect()
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn write(
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
mod tests {
    use super::*;

    fn at(second: i64) -> Moment {
        Moment::from_second(1_795_000_000 + second).unwrap()
    }

    fn caller(number: u8) -> Caller {
        Caller { address: Some([192, 0, 2, number].into()), bearer: None }
    }

    fn id(number: usize) -> ListingId {
        format!("mcp-{number:04}").parse().unwrap()
    }

    #[test]
    fn a_caller_counts_once_per_hour_and_listing() {
        let pending = PendingDeposits::default();
        for (number, second) in [(1, 0), (1, 5), (2, 5)] {
            pending.note(&caller(number), &id(1), TrailEvent::MatchHit, at(second));
        }
        assert!(pending.take_due(at(9), ALONE).is_empty(), "not yet");
        let due = pending.take_due(at(10), ALONE);
        assert_eq!(due.into_iter().collect::<Vec<_>>(), [((id(1), TrailEvent::MatchHit), 2)]);
        pending.note(&caller(1), &id(1), TrailEvent::MatchHit, at(3_599));
        assert!(pending.take_due(at(3_599), ALONE).is_empty());
        pending.note(&caller(1), &id(1), TrailEvent::MatchHit, at(3_600));
        assert_eq!(pending.take_due(at(3_660), ALONE).len(), 1);
    }

    #[test]
    fn one_caller_does_not_use_up_the_memory() {
        let pending = PendingDeposits::default();
        for number in 0..MAX_SEEN {
            pending.note(&caller(1), &id(number), TrailEvent::MatchHit, at(0));
        }
        pending.note(&caller(2), &id(MAX_SEEN), TrailEvent::MatchHit, at(0));
        let held = pending.held();
        assert_eq!(held.counts.len(), usize::try_from(MAX_SEEN_OF_CALLER).unwrap() + 1);
    }

    #[test]
    fn number_of_trail_changes_in_memory_and_in_one_write_is_bounded() {
        let pending = PendingDeposits::default();
        for number in 0..2 * MAX_PENDING {
            let caller = caller(u8::try_from(number / 200).unwrap());
            pending.note(&caller, &id(number), TrailEvent::MatchHit, at(0));
            pending.note(&caller, &id(number), TrailEvent::MatchQuery, at(0));
        }
        assert_eq!(pending.held().counts.len(), MAX_PENDING);
        let due = pending.take_due(at(30), AMONG_MANY);
        let listings: HashSet<&ListingId> = due.keys().map(|(id, _)| id).collect();
        assert_eq!((listings.len(), due.len()), (8, 16));
        assert_eq!(pending.held().counts.len(), MAX_PENDING - 16);
    }

    #[test]
    fn each_listing_has_its_turn() {
        let pending = PendingDeposits::default();
        let mut written = HashSet::new();
        for round in 0..4 {
            // The same listings again and again.
            for number in 0..30 {
                let caller = caller(u8::try_from(round).unwrap());
                pending.note(&caller, &id(number), TrailEvent::MatchHit, at(20 * round));
            }
            written.extend(pending.take_due(at(20 * (round + 1)), AMONG_MANY).into_keys().map(|(id, _)| id));
        }
        assert_eq!(written.len(), 30);
    }
}
