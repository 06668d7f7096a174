//! Tests outcome reports. Concurrent reports are all counted. Reports of the same source count once an hour.
//! Good outcomes raise the value by which the most used listings are ranked (`attractor`).

use std::time::Duration;

use futures::future::join_all;
use tests::prelude::*;

use super::INTEROP;
use crate::fixtures::{LivePair, call_as, live_agent, live_pair, refused_arguments};

#[tokio::test]
async fn outcome_counts_are_the_sum_of_the_reports() {
    let (registry, _peer, id) = live_agent().await;
    let report = async |number: u8, report: Value| {
        let report = with_members(json!({ "listing_id": id, "ok": true }), &report);
        call_as(&registry, number, "deposit_outcome", report).await.unwrap()
    };
    let full =
        json!({ "quality": 0.9, "latency_ms": 100, "kind": "forecast", "from": "planner", "body": "Quick." });
    // 0.6 * 0.9 + 0.4 * 1
    let first = report(1, full).await;
    assert_members(&first, &json!({ "counted": true, "/outcome/ok": true, "outcome_score": 0.94 }));
    assert!(first["outcome"]["id"].as_str().unwrap().starts_with("out_"), "{first}");
    registry.advance(Duration::from_secs(1));
    report(2, json!({})).await;
    // Qualities 0.9, 0.7 and 0.2; two of three ok: 0.6 * 1.8 / 3 + 0.4 * 2 / 3, in thousandths.
    let tally = json!({ "count": 3, "ok": 2, "quality_sum": 1.8, "timed": 2, "latency_ms_sum": 400 });
    let third = report(3, json!({ "ok": false, "latency_ms": 300 })).await;
    assert_members(&third, &json!({ "outcome_score": 0.627, "tally": tally, "mean_latency_ms": 200 }));

    let again = report(3, json!({ "quality": 1.0 })).await;
    let because = "counted_within_the_hour";
    assert_members(&again, &json!({ "counted": false, "not_counted_because": because, "tally": tally }));
    for from in [json!(id), registry.status(&id).await["name"].clone()] {
        // A report that is not stored has no id.
        let own = report(9, json!({ "from": from, "quality": 1.0 })).await;
        let because = "self_report";
        assert_members(&own, &json!({ "counted": false, "not_counted_because": because, "/outcome": null }));
    }
    registry.advance(HOUR);
    assert_eq!(report(3, json!({})).await["tally"]["count"], 4, "a source did not count again after an hour");

    let recent = registry.get(INTEROP).await.body["outcomes_recent"].clone();
    assert_members(&recent, &json!({ "/3/body": "Quick.", "/3/from": "planner", "/4": null }));
}

#[tokio::test]
async fn concurrent_reports_are_all_counted() {
    let (registry, _peer, id) = live_agent().await;
    let report = json!({ "listing_id": id, "ok": true, "quality": 0.5, "latency_ms": 10 });
    let deposit = async |number: u8| loop {
        match call_as(&registry, number, "deposit_outcome", report.clone()).await {
            Err(problem) if problem.code.as_str() == "busy" => {}
            other => return other.unwrap()["counted"] == true,
        }
    };
    // Forty sources, two reports each; one report per source counts.
    let counted = join_all((0..80).map(|number| deposit(number % 40))).await;
    assert_eq!(counted.iter().filter(|counted| **counted).count(), 40);
    // This reads the tally with one more report: another source, default quality 0.7.
    let last = registry.call_tool("deposit_outcome", &json!({ "listing_id": id, "ok": true })).await;
    let expected = json!({ "count": 41, "ok": 41, "quality_sum": 20.7, "timed": 40, "latency_ms_sum": 400 });
    assert_eq!(last["tally"], expected);
}

#[tokio::test]
async fn outcome_reports_are_validated() {
    let LivePair { registry, agent, server, .. } = live_pair().await;
    let report = json!({ "listing_id": agent, "listing_b": server, "ok": true });
    registry.call_tool("deposit_outcome", &report).await;
    // A report about two listings is a report about the first.
    let of_other = registry.call_tool("deposit_outcome", &json!({ "listing_id": server, "ok": true })).await;
    assert_eq!(of_other["tally"]["count"], 1);
    let invalid = [
        json!({ "ok": null, "quality": 0.9 }),
        json!({ "quality": 1.5 }),
        json!({ "latency_ms": 86_400_001 }),
        json!({ "body": "x".repeat(2001) }),
        json!({ "from": "x".repeat(121) }),
        json!({ "listing_b": agent }),
        json!({ "listing_b": "mcp-unknown" }),
        json!({ "listing_id": "mcp-unknown" }),
    ];
    insta::assert_snapshot!(refused_arguments(&registry, "deposit_outcome", &report, invalid).await);
}
