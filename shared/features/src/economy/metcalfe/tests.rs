use super::*;

fn network(listings: f64, compositions: f64, outcomes: f64, peers: f64, dense: bool) -> Network {
    Network { listings, compositions, outcomes, peers, dense }
}

fn close(one: f64, other: f64) -> bool {
    ((one - other) / other).abs() < 1e-6
}

#[test]
fn network_value_matches_values_calculated_by_hand() {
    // Every base 1: 100 * .01 = 1, .5 + .5 = 1; only the factor is left.
    assert_eq!(network(1.0, 0.01, 0.01, 0.5, false).value(), 1.0);
    assert_eq!(network(1.0, 0.01, 0.01, 0.5, true).value(), 1.2);
    // N = 10^20 ^ 1/20: 100^1.15 = 10^2.3 = 199.526231.
    assert!(close(network(100.0, 0.01, 0.01, 0.5, false).value(), 199.526_231));
    // 100^1.4 = 10^2.8 = 630.957344, times 1.2 = 757.148813.
    assert!(close(network(100.0, 0.01, 0.01, 0.5, true).value(), 757.148_813));
    // (100 * .1)^1.25 = 10^1.25 = 17.782794; (100 * .1)^1.2 = 10^1.2 = 15.848932; 281.838293 together.
    assert!(close(network(1.0, 0.1, 0.1, 0.5, false).value(), 281.838_293));
    // 2^1.1 = 2.143547 with one peer and a half; without any peer .5^1.1 = .466516.
    assert!(close(network(1.0, 0.01, 0.01, 1.5, false).value(), 2.143_547));
    assert_eq!(network(1.0, 0.01, 0.01, 0.0, false).value(), 0.466_516);
}

#[test]
fn network_without_pairs_used_together_has_no_value() {
    assert_eq!(network(1000.0, 0.0, 0.5, 3.0, false).value(), 0.0);
    assert_eq!(network(0.0, 0.5, 0.5, 3.0, false).value(), 0.0);
    assert_eq!(
        [Network::share(3.0, 0.0), Network::share(3.0, 2.0), Network::share(1.0, 4.0)],
        [0.0, 1.0, 0.25]
    );
}
