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
    let state = pending.state();
    assert_eq!(state.counts.len(), usize::try_from(MAX_SEEN_OF_CALLER).unwrap() + 1);
}

#[test]
fn number_of_trail_changes_in_memory_and_in_one_write_is_bounded() {
    let pending = PendingDeposits::default();
    for number in 0..2 * MAX_PENDING {
        let caller = caller(u8::try_from(number / 200).unwrap());
        pending.note(&caller, &id(number), TrailEvent::MatchHit, at(0));
        pending.note(&caller, &id(number), TrailEvent::MatchQuery, at(0));
    }
    assert_eq!(pending.state().counts.len(), MAX_PENDING);
    let due = pending.take_due(at(30), AMONG_MANY);
    let listings: HashSet<&ListingId> = due.keys().map(|(id, _)| id).collect();
    assert_eq!((listings.len(), due.len()), (8, 16));
    assert_eq!(pending.state().counts.len(), MAX_PENDING - 16);
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
