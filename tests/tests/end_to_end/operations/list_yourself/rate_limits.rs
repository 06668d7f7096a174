//! Tests the rate limits of publishing: per caller, per host, and for all callers together.

use std::time::Duration;

use serde_json::json;
use tests::test_registry::{TestOptions, TestRegistry};

#[tokio::test]
async fn publish_is_limited_per_caller_per_host_and_in_total() {
    let table = [
        ("PUBLISH_PER_HOUR", "caller", "for your address"),
        ("PUBLISH_PER_HOST_PER_HOUR", "host", "for this host"),
        ("PUBLISH_PER_HOUR_IN_ALL", "everybody", "for all callers together"),
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
        let before = registry.table().await;
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
        assert_eq!(before.difference(&registry.table().await), [""; 0], "{setting}: a refusal was counted");
        registry.advance(Duration::from_secs(3600));
        registry.publish(&body(3)).await;
    }
    let other_host =
        TestRegistry::start_with(TestOptions::public().with_setting("PUBLISH_PER_HOST_PER_HOUR", 1)).await;
    for host in ["a", "b", "c"] {
        other_host.publish(&json!({ "url": format!("https://{host}.example.org/") })).await;
    }
}
