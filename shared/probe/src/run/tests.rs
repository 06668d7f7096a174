//! Tests of the slots of a tick and of the parts of a recheck.

mod simulation;

use super::*;

#[test]
fn tick_uses_the_time_slot_of_its_schedule_unless_the_tick_is_late() {
    let at = |text: &str| text.parse::<Moment>().unwrap();
    let slot_at = |now: &str, scheduled: Option<&str>| slot(at(now), scheduled.map(at), 360);
    let own = at("2026-11-20T12:00:00Z").as_second() / 360;
    let scheduled = Some("2026-11-20T12:00:00Z");
    for (now, scheduled, expected) in [
        ("2026-11-20T12:00:00.100Z", scheduled, own),
        ("2026-11-20T11:59:59.900Z", scheduled, own),
        ("2026-11-20T12:05:59Z", scheduled, own),
        ("2026-11-20T12:00:00Z", None, own),
        ("2026-11-20T12:30:00Z", scheduled, own + 5),
        ("2026-11-19T12:00:00Z", scheduled, own - 240),
    ] {
        assert_eq!(slot_at(now, scheduled), expected, "{now} {scheduled:?}");
    }
}

#[test]
fn recheck_parts_share_the_concurrency_limit_of_a_host() {
    for (due, parts) in [(0, 1), (6_000, 1), (6_001, 2), (12_000, 2), (12_001, 4), (1_000_000, 4)] {
        let of = recheck_parts(due);
        assert_eq!(of.len(), parts, "{due}");
        assert_eq!(of.iter().map(|part| slots_per_host(*part)).sum::<usize>(), SLOTS_PER_HOST, "{due}");
    }
}

#[test]
fn smallest_recheck_part_gets_one_slot_per_host() {
    assert_eq!(slots_per_host("20-00000abc".parse().unwrap()), 1);
}
