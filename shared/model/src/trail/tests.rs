use jiff::SignedDuration;
use proptest::prelude::*;

use super::*;

fn at(millis: i64) -> Moment {
    Moment::from_millisecond(millis).unwrap()
}

const HOUR: i64 = 3_600_000;
/// 2026-11-20T12:00:00Z.
const NOON: i64 = 1_795_176_000_000;

/// What a sequence of deposits is worth at `now`, through the stored sums.
fn left_of_sums(decay: Decay, deposits: &[(f64, i64)], now: i64) -> f64 {
    let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
    for (amount, millis) in deposits {
        *sums.entry(decay.epoch(at(*millis))).or_default() += decay.scaled(*amount, at(*millis));
    }
    let current = decay.epoch(at(now));
    [current, current - 1]
        .into_iter()
        .filter_map(|epoch| sums.get(&epoch).map(|sum| decay.left(*sum, epoch, at(now))))
        .sum()
}

#[test]
fn a_value_halves_with_each_half_life() {
    let decay = TrailValue::Demand.decay();
    assert_eq!(decay.decayed(8.0, at(NOON), at(NOON)), 8.0);
    assert!((decay.decayed(8.0, at(NOON), at(NOON + 48 * HOUR)) - 4.0).abs() < 1e-9);
    assert!((decay.decayed(8.0, at(NOON), at(NOON + 144 * HOUR)) - 1.0).abs() < 1e-9);
    // 8 / 2^8 is less than 0.05.
    assert_eq!(decay.decayed(8.0, at(NOON), at(NOON + 8 * 48 * HOUR)), 0.0);
    assert!(
        (left_of_sums(decay, &[(8.0, NOON), (1.0, NOON + 48 * HOUR)], NOON + 96 * HOUR) - 2.5).abs() < 1e-9
    );
}

#[test]
fn a_mark_expires_when_its_value_is_negligible() {
    // 6.4 = 0.05 * 2^7: seven half-lives of ten days.
    let gone = Decay::MARK.gone_at(6.4, at(NOON));
    let days = gone.duration_since(at(NOON)) - SignedDuration::from_hours(70 * 24);
    assert!(days.abs() <= SignedDuration::from_millis(1), "{days}");
    assert_eq!(Decay::MARK.gone_at(0.01, at(NOON)), at(NOON));
    assert_eq!(Decay::MARK.rank(0.04, at(NOON)), None);
}

#[test]
fn a_score_is_the_weighted_sum_of_the_values() {
    let values = Amounts { attraction: 10.0, danger: 5.0, demand: 10.0, joined: 5.0 };
    let trail = Trail { values, events: [(TrailEvent::Endorse, 2)].into(), ..Trail::default() };
    // 10 + 6 + 2 + 6 - 6
    assert!((trail.trail_score() - 18.0).abs() < 1e-12);
    assert_eq!(values.relief(), 2.0);
    assert_eq!(Amounts { danger: 1.5, ..Amounts::NONE }.relief(), 1.5);
}

#[test]
fn events_have_the_specified_weights() {
    let of = TrailEvent::amounts;
    assert_eq!(of(TrailEvent::TakeDemo), Amounts::NONE);
    assert_eq!(of(TrailEvent::ListYourself), Amounts { attraction: 2.5, joined: 5.0, ..Amounts::NONE });
    assert_eq!(of(TrailEvent::ProbeFail), Amounts { danger: 10.0, ..Amounts::NONE });
    let mut names: Vec<&str> = TrailEvent::ALL.iter().map(|event| event.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), TrailEvent::ALL.len());
}

fn values() -> impl Strategy<Value = TrailValue> {
    prop::sample::select(TrailValue::ALL.to_vec())
}

proptest! {
    #[test]
    fn value_of_a_trail_never_increases_by_itself(
        value in values(), amount in 0.05..1e4_f64, early in 0..5_000_i64, more in 0..5_000_i64,
    ) {
        let decay = value.decay();
        let then = decay.decayed(amount, at(NOON), at(NOON + early * HOUR));
        let later = decay.decayed(amount, at(NOON), at(NOON + (early + more) * HOUR));
        prop_assert!(later <= then && then <= amount && later >= 0.0);
    }

    /// The stored sums give the same values as if all values were evaporated every hour, across epochs, too.
    #[test]
    fn stored_sums_equal_values_that_decay_every_hour(
        value in values(),
        start in (NOON / HOUR)..(NOON / HOUR + 30_000),
        deposits in prop::collection::vec((0.25..50.0_f64, 0..1_500_i64), 1..20),
        after in 0..1_500_i64,
    ) {
        let decay = value.decay();
        let factor = (-1.0 / decay.half_life_hours() as f64).exp2();
        let end = 1_500 + after;
        let mut batch = 0.0;
        for hour in 0..=end {
            batch = if hour == 0 { 0.0 } else { batch * factor };
            batch += deposits.iter().filter(|(_, at)| *at == hour).map(|(amount, _)| amount).sum::<f64>();
        }
        let timed: Vec<(f64, i64)> =
            deposits.iter().map(|(amount, hour)| (*amount, (start + hour) * HOUR)).collect();
        let now = left_of_sums(decay, &timed, (start + end) * HOUR);
        prop_assert!((now - batch).abs() <= 1e-9 * batch.max(1.0), "{now} {batch}");
    }

    /// The order of ranks is the order of the values.
    #[test]
    fn stored_ranking_has_the_order_of_the_values(
        value in values(), one in 0.1..1e4_f64, other in 0.1..1e4_f64,
        early in 0..2_000_i64, late in 0..2_000_i64,
    ) {
        let decay = value.decay();
        let now = NOON + 2_000 * HOUR;
        let (a, b) = (left_of_sums(decay, &[(one, NOON + early * HOUR)], now), left_of_sums(decay, &[(other, NOON + late * HOUR)], now));
        let rank = |amount, hours| decay.rank(amount, at(NOON + hours * HOUR)).unwrap();
        let (p, q) = (rank(one, early), rank(other, late));
        prop_assume!((p - q).abs() > 1e-6);
        prop_assert_eq!(a < b, p < q);
    }
}
