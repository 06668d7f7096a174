//! Tests the rate limits of publishing: per caller, per host, and for all callers together.

use std::time::Duration;

use serde_json::json;
use tests::test_registry::{TestOptions, TestRegistry};

#[tokio::test]
async fn publish_is_limited_per_caller_and_per_host() {
    let table = [
        ("PUBLISH_PER_HOUR", "caller", "for your address"),
        ("PUBLISH_PER_HOST_PER_HOUR", "host", "for this host"),
    ];
    for (setting, allowance, words) in table {
        let registry = TestRegistry::start_with(TestOptions::public().with_setting(setting, 3)).await;
        let body =
            |number: usize| json!({ "url": format!("https://agent.example.org/{number}/agent-card.json") });
        for number in 0..3 {
            registry.publish(&body(number)).await;
            assert_eq!(
                registry.post("/api/publish", &json!({ "url": "http://x" })).await.status,
                422,
                "an invalid request was counted"
            );
        }
        let before = registry.table().await.without(&["RATE#"]);
        let reply = registry.post("/api/publish", &body(3)).await;
        assert_eq!(
            (reply.status, &reply.body["code"], &reply.body["allowance"]),
            (429, &json!("rate_limited"), &json!(allowance)),
            "{setting}: {reply:?}"
        );
        reply.assert_problem();
        assert!(
            reply.body["detail"].as_str().is_some_and(|detail| detail.contains(words)),
            "{setting}: {reply:?}"
        );
        assert_eq!(reply.header("retry-after"), "3600", "{setting}: the test starts at the full hour");
        let after = registry.table().await.without(&["RATE#"]);
        assert_eq!(before.difference(&after), [""; 0], "{setting}: a refused request was written");
        registry.advance(Duration::from_secs(3600));
        registry.publish(&body(3)).await;
    }
    let other_host =
        TestRegistry::start_with(TestOptions::public().with_setting("PUBLISH_PER_HOST_PER_HOUR", 1)).await;
    for host in ["a", "b", "c"] {
        other_host.publish(&json!({ "url": format!("https://{host}.example.org/") })).await;
    }
}

/// The tests in `faults/hostile_callers.rs` show what this means for other callers.
#[tokio::test]
async fn limit_of_all_callers_refuses_only_callers_with_many_requests_and_only_for_minutes() {
    let options = TestOptions::public().with_setting("PUBLISH_PER_HOUR_IN_ALL", 12);
    let registry = TestRegistry::start_with(options).await;
    let body =
        |number: usize| json!({ "url": format!("https://agent.example.org/{number}/agent-card.json") });
    // All callers together may publish once in five minutes. A tenth of the limit of 60 is always accepted. The seventh is
    // accepted while fewer than 60 / 7 were published, the eighth while fewer than 60 / 8 were.
    for number in 0..7 {
        registry.publish(&body(number)).await;
    }
    for _ in 0..2 {
        let refused = registry.post("/api/publish", &body(7)).await;
        assert_eq!((refused.status, &refused.body["allowance"]), (429, &json!("everybody")), "{refused:?}");
        assert_eq!(refused.header("retry-after"), "300");
        assert!(refused.body["detail"].as_str().unwrap().contains("for all callers together"), "{refused:?}");
    }
    registry.advance(Duration::from_secs(300));
    registry.publish(&body(7)).await;
}
