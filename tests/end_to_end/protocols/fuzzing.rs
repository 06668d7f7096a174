//! What the fuzzers of the protocols share: random JSON, damaged texts, and a runner with a fixed seed.

use std::collections::BTreeMap;
use std::fmt::Debug;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value};

/// Number of requests.
const CASES: u32 = 20_000;

/// Requests that all fail in the parser would prove little, so every kind of reply must occur this often.
const MIN_OCCURRENCES: u32 = 20;

/// Any JSON without URLs, so that nothing sends a request to another host.
pub(super) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z\u{e9}\u{1f600}\"\\\\\u{0}]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map("[a-zA-Z_]{0,8}", inner, 0..5)
                .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

/// Removes, repeats or inserts bytes.
pub(super) fn damaged(text: Vec<u8>, edits: &[(Index, Index, u8)]) -> Vec<u8> {
    edits.iter().fold(text, |mut text, (from, to, with)| {
        let (from, to) = (from.index(text.len() + 1), to.index(text.len() + 1));
        let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 40));
        match with % 3 {
            0 => drop(text.drain(from..to)),
            1 => text.extend_from_within(from..to),
            _ => text.insert(from, *with),
        }
        text
    })
}

pub(super) fn runner() -> TestRunner {
    let config = ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

pub(super) fn assert_all_occur<K: Copy + Debug + Ord>(
    outcomes: &BTreeMap<K, u32>,
    expected: impl IntoIterator<Item = K>,
) {
    for outcome in expected {
        let count = outcomes.get(&outcome).copied().unwrap_or_default();
        assert!(count >= MIN_OCCURRENCES, "{outcome:?} is rare: {outcomes:?}");
    }
}
