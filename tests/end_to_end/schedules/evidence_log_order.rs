//! Tests that the time in the leaves of a listing never goes back, whatever the clocks, and that a proof is the last one.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, HashPrefix, Lane, Listing, Moment, Proof, PublicReason, Random, Withdrawal};
use registry::probe::run;
use tests::fixtures::feed_item;
use tests::prelude::*;

use super::evidence_log::{leaves, verified_proof};
use crate::fixtures::live_agent;

/// Another process on the same table, with a clock of its own.
fn process(registry: &TestRegistry, now: Moment) -> App {
    let store = registry.app.store.clone();
    App::new(registry.app.settings.clone(), store, Bus::Silent, Clock::manual(now), Random::seeded(11))
}

fn withdrawn(before: &Listing, at: Moment) -> Listing {
    let reason = PublicReason::try_from("Spam.".to_owned()).unwrap();
    let withdrawal = Withdrawal { reason, at, blocked_host: None, by_owner: false };
    Listing {
        lane: Lane::Withdrawn,
        withdrawal: Some(withdrawal),
        proof: Proof { live_since: None, ..before.proof.clone() },
        ..before.clone()
    }
}

/// The decisions about a listing in the order of the tree; their times must increase.
async fn ordered_events(registry: &TestRegistry, id: &ListingId) -> Vec<String> {
    let mut decisions = leaves(registry).await;
    decisions.retain(|leaf| leaf["listing_id"] == json!(id));
    let times: Vec<&str> = decisions.iter().map(|leaf| leaf["at"].as_str().unwrap()).collect();
    assert!(times.is_sorted_by(|earlier, later| earlier < later), "{decisions:#?}");
    let event = |leaf: &Value| leaf["event"].as_str().unwrap().to_owned();
    decisions.iter().map(event).collect()
}

/// The last decision is in the log and can be proven, also if its time is in the future of this process.
async fn assert_last(registry: &TestRegistry, id: &ListingId, event: &str) {
    let proof = verified_proof(registry, &format!("listing_id={id}")).await;
    assert_eq!(proof["leaf"]["event"], event, "{proof}");
    let log = registry.status(id).await["log"].clone();
    assert_eq!((&log["event"], &log["pending"]), (&json!(event), &json!(false)), "{log}");
    assert_eq!(log["leaf_index"], proof["leaf_index"], "{log}");
}

/// The operator's command began first, but its first attempt was refused because a recheck wrote its result.
#[tokio::test]
async fn withdrawal_that_began_before_a_recheck_ended_follows_it() {
    let (registry, _peer, id) = live_agent().await;
    registry.advance(DAY * 6 + HOUR * 12);
    let (began, store) = (registry.now(), &registry.app.store);
    let before = store.listing(&id).await.unwrap().unwrap();
    registry.advance(Duration::from_secs(20));
    run::recheck(&registry.app, HashPrefix::default()).await.unwrap();
    let news = feed_item("listing_withdrawn", &before, began);
    let refused = store.decide(&before, &withdrawn(&before, began), &news).await;
    assert!(!refused.unwrap(), "the listing was probed since it was read");
    let before = store.listing(&id).await.unwrap().unwrap();
    assert!(store.decide(&before, &withdrawn(&before, began), &news).await.unwrap());
    registry.tick().await;
    assert_eq!(ordered_events(&registry, &id).await, ["live", "confirmed", "withdrawn"]);
    assert_last(&registry, &id, "withdrawn").await;
}

/// A proof expired, but the listing was confirmed before this was recorded.
#[tokio::test]
async fn expiry_is_not_recorded_after_a_later_decision() {
    let (registry, _peer, id) = live_agent().await;
    registry.advance(DAY * 6 + HOUR * 12);
    let read_at = registry.now();
    registry.advance(Duration::from_secs(20));
    run::recheck(&registry.app, HashPrefix::default()).await.unwrap();
    let listing = registry.app.store.listing(&id).await.unwrap().unwrap();
    let news = feed_item("listing_withdrawn", &listing, read_at);
    registry.app.store.record_overdue(&[news]).await.unwrap();
    registry.tick().await;
    assert_eq!(ordered_events(&registry, &id).await, ["live", "confirmed"]);
    assert_last(&registry, &id, "confirmed").await;
}

/// In logs of older versions, times may contradict the order of the tree.
#[tokio::test]
async fn proof_returns_the_last_decision_of_the_tree_whatever_its_time() {
    let (registry, _peer, id) = live_agent().await;
    registry.advance(Duration::from_secs(1));
    registry.withdraw(&id, "Spam.").await;
    registry.tick().await;
    // The index of the first leaf, under a time that is later than the withdrawal.
    let later = registry.now().as_millisecond() + 3_600_000;
    let (partition, index) = (format!("LISTING#{id}"), AttributeValue::N("0".to_owned()));
    registry.overwrite(&partition, &format!("LEAF#{later:013}#old"), "index", index).await;
    assert_last(&registry, &id, "withdrawn").await;
}

/// Withdrawals and restorations by processes with arbitrary clocks.
#[tokio::test(flavor = "multi_thread")]
async fn decisions_with_skewed_clocks_stay_in_order() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..8 {
        let decisions = prop::collection::vec((-600_000_i64..600_000, any::<bool>()), 2..12);
        let decisions = decisions.new_tree(&mut runner).unwrap().current();
        let (registry, _peer, id) = live_agent().await;
        let mut expected = vec!["live".to_owned()];
        for (skew, sequences) in &decisions {
            registry.advance(Duration::from_millis(700));
            let other = process(&registry, registry.now() + jiff::SignedDuration::from_millis(*skew));
            let withdraw = json!({ "command": "withdraw", "listing_id": id, "reason": "Spam." });
            ::operator::handle(&other, withdraw).await.unwrap();
            ::operator::handle(&other, json!({ "command": "restore", "listing_id": id })).await.unwrap();
            expected.extend(["withdrawn", "restored"].map(str::to_owned));
            if *sequences {
                registry::log::sequence(&registry.app).await.unwrap();
            }
        }
        registry::log::sequence(&registry.app).await.unwrap();
        assert_eq!(ordered_events(&registry, &id).await, expected, "{decisions:?}");
        assert_last(&registry, &id, "restored").await;
    }
}
