//! Tests the limits of outreach: the daily budget, the pause between two messages to a listing, and one
//! connector per day. They are kept for any sequence of runs, days and failures. The counts are correct.

use std::collections::BTreeMap;

use futures::future::join_all;
use proptest::prelude::*;
use registry::model::Moment;
use serde_json::{Value, json};
use tests::instrumented::Fault;
use tests::peers::{Peer, agents};
use tests::test_registry::{HOUR, TestRegistry};

use super::{messages, router, without_rechecks};

#[derive(Clone, Debug)]
enum Step {
    Run,
    ConcurrentRuns,
    /// A run with failing calls: how many of 1,000, and the seed.
    FailingRun(u16, u64),
    Hours(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Run),
        1 => Just(Step::ConcurrentRuns),
        2 => (50_u16..600, any::<u64>()).prop_map(|(share, seed)| Step::FailingRun(share, seed)),
        4 => (1_u64..200).prop_map(Step::Hours),
    ];
    prop::collection::vec(step, 4..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn outreach_never_exceeds_its_limits_in_any_sequence_of_runs(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let registry = TestRegistry::start_with(without_rechecks()).await;
            let peers = [Peer::start(agents::fleet).await, Peer::start(router).await];
            for (peer, count) in peers.iter().zip([12, 4]) {
                registry.publish_fleet(peer, 0..count).await;
            }
            registry.deliver_events().await;
            for step in &steps {
                match step {
                    Step::Run => drop(registry.reach_out().await),
                    Step::ConcurrentRuns => drop(join_all((0..3).map(|_| registry.reach_out())).await),
                    Step::FailingRun(share, seed) => {
                        let operations = ["TransactWriteItems", "Query", "PutItem", "BatchGetItem"];
                        registry.observer.faults.arm_by_chance(&operations, Fault::TransactionConflict, *share, *seed);
                        let _report = registry.try_run("daily-connector", Value::Null).await;
                        registry.observer.faults.disarm();
                    }
                    Step::Hours(hours) => registry.advance(HOUR * u32::try_from(*hours).unwrap()),
                }
            }
            let (table, mut days, mut connectors) = (registry.table().await, BTreeMap::new(), BTreeMap::new());
            let mut last = BTreeMap::<String, Moment>::new();
            let mut all = messages(&table);
            all.sort_by_key(|(.., at)| *at);
            for (to, kind, at) in &all {
                *days.entry(at.utc_day()).or_insert(0) += 1;
                if kind == "connector" {
                    *connectors.entry(at.utc_day()).or_insert(0) += 1;
                }
                if let Some(before) = last.insert(to.clone(), *at) {
                    prop_assert!(at.duration_since(before) >= jiff::SignedDuration::from_hours(30 * 24), "{}", to);
                }
            }
            // 12 for up to 49 Live listings, and up to 1.8 times as many with acceleration.
            prop_assert!(days.values().all(|sent| *sent <= 21), "{:?}", days);
            prop_assert!(connectors.values().all(|contacted| *contacted == 1), "{:?}", connectors);
            prop_assert_eq!(table.items_under("TOUCHES").len(), all.len());
            for (day, sent) in &days {
                let counted = table.items_under(&format!("OUTREACH DAY#{day}"));
                prop_assert_eq!(&counted[0]["sent"], &json!(sent));
            }
            Ok(())
        })?;
    }
}
