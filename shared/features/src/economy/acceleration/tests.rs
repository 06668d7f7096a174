use super::*;

fn index(counted: &[(TrailEvent, f64)], bumped: f64) -> Acceleration {
    let counted_of = |event| {
        let recent = counted.iter().find(|(known, _)| *known == event).map_or(0.0, |(_, recent)| *recent);
        EventTotal { count: 100, recent }
    };
    Acceleration::of(counted_of, EventTotal { count: 1, recent: bumped })
}

#[test]
fn acceleration_index_matches_values_calculated_by_hand() {
    assert_eq!(index(&[], 0.0).index, 1.0);
    // 10 * .012 + 2 * .04 + 1 * .08 + 5 * .01 = .33.
    let events = [
        (TrailEvent::TakeDemo, 10.0),
        (TrailEvent::LeaveFeedback, 2.0),
        (TrailEvent::FoundingClaim, 1.0),
        (TrailEvent::ListYourself, 5.0),
    ];
    let some = index(&events, 0.0);
    assert_eq!((some.index, some.excess), (1.33, 0.33));
    let demo = some.contributions.iter().find(|one| one.event == "take_demo").unwrap();
    assert_eq!((demo.weight, demo.count, demo.recent, demo.adds), (0.012, 100, 10.0, 0.12));
    // The operator's bump is listed separately.
    let bumped = index(&events, 0.25);
    let last = bumped.contributions.last().unwrap();
    assert_eq!((bumped.index, last.event, last.adds), (1.58, OPERATOR_BUMP, 0.25));
    // 1,000 founding claims would add 80.
    assert_eq!(index(&[(TrailEvent::FoundingClaim, 1000.0)], 0.0).index, 3.0);
    assert_eq!(index(&[(TrailEvent::Outcome, 1000.0)], 0.0).index, 1.0, "no bump for outcomes");
}

#[test]
fn every_weighted_event_is_counted_once() {
    // .012 + .04 + .08 + .008 + .015 + .01 + .003 + .001 + .01 + .002 + .004 + .005 = .19.
    let all = index(&TrailEvent::ALL.map(|event| (event, 1.0)), 0.0);
    assert_eq!((all.excess, all.contributions.len()), (0.19, 13));
}

#[test]
fn amount_that_the_operator_adds_is_scaled_within_bounds() {
    let bumps = [1.0, 10.0, 20.0, 50.0].map(|amount| bump(TrailEvent::LeaveFeedback, amount));
    // .04 times .25 (the least), 1, 2, and 3 (the most).
    assert_eq!(bumps.map(rounded), [0.01, 0.04, 0.08, 0.12]);
}

#[test]
fn multipliers_follow_their_formulas_up_to_their_bounds() {
    let both = |excess| {
        let Multipliers { match_boost, day_budget } = Multipliers::of(excess, excess);
        [match_boost, day_budget]
    };
    assert_eq!(both(0.0), [1.0, 1.0]);
    // e = .33: 1 + .165, 1 + .132.
    assert_eq!(both(0.33), [1.165, 1.132]);
    assert_eq!(both(2.0), MULTIPLIER_RULES.map(|rule| rule.most));
    assert_eq!((both(1e9), both(-1.0)), (both(2.0), both(0.0)));
    assert_eq!(Multipliers::of(2.0, 0.0).day_budget, 1.0, "activity of callers raises the budget");
}

#[test]
fn score_for_recent_use_matches_values_calculated_by_hand() {
    // .6 * .9 + .4 * 10 = 4.54; with the multiplier .54 + .4 * 15 = 6.54.
    let of = |outcome, trail, multiplier| Boost::of(Some(outcome), trail, multiplier).boost;
    assert_eq!([of(0.9, 10.0, 1.0), of(0.9, 10.0, 1.5)], [4.54, 6.54]);
    // The trail is capped at 20: .6 + .4 * 20 = 8.6. A negative trail counts as none.
    assert_eq!([of(1.0, 500.0, 2.0), of(1.0, -50.0, 2.0), of(0.0, 0.0, 1.0)], [8.6, 0.6, 0.0]);
    assert_eq!(Boost::of(None, 12.0, 1.25), Boost { boost: 6.0, trail_boost: 15.0, ..Boost::default() });
}
