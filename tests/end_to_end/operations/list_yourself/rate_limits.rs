//! Tests the rate limits of publishing: per caller, per host, and for all callers together.

use std::time::Duration;

use registry::model::{LimitedAction, Rate};
use tests::prelude::*;

/// The tests in `faults/hostile_peers.rs` show what this means for other callers.
#[tokio::test]
async fn publish_is_limited_per_caller_and_per_host_and_for_all_callers_together() {
    let table = [
        ((|rate| rate.caller = 6) as fn(&mut Rate), 6, "caller", "for your address", 3600),
        (|rate| rate.target = 6, 6, "host", "for this host", 3600),
        // All callers together may publish once in five minutes. The seventh is accepted while fewer than 60 / 7 were
        // published, the eighth while fewer than 60 / 8 were.
        (|rate| rate.everybody = 12, 7, "everybody", "for all callers together", 300),
    ];
    for (lower, accepted, allowance, words, wait) in table {
        // The first tenth of a caller's limit of 60 is accepted whatever the other limits are.
        let registry =
            TestRegistry::start_with(TestOptions::public().with_rate(LimitedAction::Publish, lower)).await;
        let body =
            |number: usize| json!({ "url": format!("https://agent.example.org/{number}/agent-card.json") });
        for number in 0..accepted {
            registry.publish(&body(number)).await;
            let invalid = registry.post("/api/publish", &json!({ "url": "http://x" })).await;
            assert_eq!(invalid.status, 422, "an invalid request was counted");
        }
        let before = registry.table().await.without(&["RATE#"]);
        for _ in 0..2 {
            let reply = registry.post("/api/publish", &body(accepted)).await;
            reply.assert_body(429, &json!({ "code": "rate_limited", "allowance": allowance }));
            reply.assert_problem();
            assert!(reply.body["detail"].as_str().is_some_and(|detail| detail.contains(words)), "{reply:?}");
            let told = reply.header("retry-after");
            assert_eq!(told, wait.to_string(), "{allowance}: the test starts at the full hour");
        }
        let after = registry.table().await.without(&["RATE#"]);
        assert_eq!(before.difference(&after), [""; 0], "{allowance}: a refused request was written");
        registry.advance(Duration::from_secs(wait));
        registry.publish(&body(accepted)).await;
    }
    let other_host = TestRegistry::start_with(
        TestOptions::public().with_rate(LimitedAction::Publish, |rate| rate.target = 1),
    )
    .await;
    for host in ["a", "b", "c"] {
        other_host.publish(&json!({ "url": format!("https://{host}.example.org/") })).await;
    }
}

/// A score calls the host, so many callers together must not exceed the limit of the host.
#[tokio::test]
async fn limit_of_scores_of_a_host_is_strict() {
    let options = TestOptions::public().with_rate(LimitedAction::Score, |rate| rate.target = 1);
    let registry = TestRegistry::start_with(options).await;
    for (caller, accepted) in [("a", true), ("b", false)] {
        let counted =
            registry.app.count(LimitedAction::Score, caller, Some("https://agent.example.org")).await;
        assert_eq!(counted.is_ok(), accepted, "{caller}");
    }
}
