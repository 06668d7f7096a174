use super::*;

fn hour(hour: i64) -> Moment {
    Moment::from_second(1_000_000_000 + hour * 3600).unwrap()
}

/// The history of a listing that is watched from hour 0, with these outages.
fn with_outages(outages: &[(i64, i64)]) -> ProbeHistory {
    let mut history = ProbeHistory::default();
    history.add_passed(hour(0), None, None);
    for (from, to) in outages {
        history.add_passed(hour(*to), Some(hour(*from)), None);
    }
    history
}

#[test]
fn uptime_is_the_share_of_time_outside_of_outages() {
    let history = with_outages(&[(10, 20), (1000, 1010)]);
    assert_eq!(history.uptime_percent(90, hour(1100), None), Some(98.18), "20 of 1100 hours");
    assert_eq!(history.uptime_percent(7, hour(1100), None), Some(94.04), "10 of 168 hours");
    assert_eq!(history.uptime_percent(7, hour(1180), None), Some(100.0));
    assert_eq!(history.uptime_percent(7, hour(1100), Some(hour(1090))), Some(88.09), "20 of 168 hours");
    assert_eq!(history.uptime_percent(7, hour(2000), Some(hour(1020))), Some(0.0));
}

#[test]
fn uptime_needs_a_day_of_observation() {
    let history = with_outages(&[]);
    assert_eq!(history.uptime_percent(7, hour(23), None), None);
    assert_eq!(history.uptime_percent(7, hour(24), None), Some(100.0));
    assert_eq!(ProbeHistory::default().uptime_percent(7, hour(24), None), None);
}

#[test]
fn failures_before_the_first_success_are_not_an_outage() {
    let mut history = ProbeHistory::default();
    history.add_passed(hour(10), Some(hour(0)), None);
    assert_eq!(history.uptime_percent(7, hour(100), None), Some(100.0));
}

#[test]
fn history_of_a_listing_that_fails_every_hour_stays_small() {
    let mut history = ProbeHistory::default();
    for at in 0..10_000 {
        history.add_passed(hour(2 * at), Some(hour(2 * at - 1)), Some(60_000));
    }
    let stored = serde_json::to_string(&history).unwrap();
    assert!(stored.len() < 700, "{} bytes: {stored}", stored.len());
    let uptime = history.uptime_percent(90, hour(20_000), None).unwrap();
    assert!(uptime < 50.0, "merged outages never look better than they were: {uptime}");
}

#[test]
fn latency_percentiles_are_those_of_the_latest_handshakes() {
    let mut history = ProbeHistory::default();
    assert_eq!(history.latency_ms(50), None);
    for ms in (1..=64).rev() {
        history.add_passed(hour(0), None, Some(ms));
    }
    // The latest 32 took 1 to 32 ms.
    assert_eq!((history.latency_ms(50), history.latency_ms(95)), (Some(16), Some(31)));
}
