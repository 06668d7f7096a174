//! Tests that withdrawn listings accept no marks and are not shown. Also tests that the operator can delete
//! (`evaporate`) the trails of a listing.

use serde_json::json;
use tests::test_registry::{TestOptions, TestRegistry};

use super::{STIGMERGY, sensed, trace_body};
use crate::fixtures::{call_as, live_pair};

#[tokio::test]
async fn withdrawn_listing_accepts_no_marks_and_is_hidden() {
    let pair = live_pair().await;
    let (registry, id) = (&pair.registry, &pair.agent);
    registry.post(STIGMERGY, &trace_body(id, "A mark of before.")).await;
    call_as(registry, 1, "endorse", json!({ "listing_id": id })).await.unwrap();
    call_as(registry, 1, "used_with", json!({ "listing_id": id, "listing_b": pair.server })).await.unwrap();
    let outcome = json!({ "listing_id": id, "ok": true, "body": "A mark of before." });
    call_as(registry, 1, "deposit_outcome", outcome).await.unwrap();
    let hot = registry.call_tool("follow_trail", &json!({})).await;
    assert!(hot.to_string().contains(id.as_str()));
    registry.withdraw(id, "Impersonates a bank.").await;
    let refused = registry.post(STIGMERGY, &trace_body(id, "Another.")).await;
    assert_eq!(refused.status, 404, "{refused:?}");
    assert_eq!(refused.body["next"]["action"], "check_status", "{refused:?}");
    let used = json!({ "listing_id": pair.server, "listing_b": id });
    assert_eq!(call_as(registry, 2, "used_with", used).await.unwrap_err().code.as_str(), "listing_not_found");
    registry.settle();
    for (tool, arguments) in [
        ("interop", json!({})),
        ("stigmergy", json!({})),
        ("sense_traces", json!({})),
        ("follow_trail", json!({})),
        ("follow_trail", json!({ "kind": "composition" })),
        ("follow_trail", json!({ "kind": "demand" })),
    ] {
        let shown = registry.call_tool(tool, &arguments).await.to_string();
        assert!(!shown.contains(id.as_str()) && !shown.contains("A mark of before."), "{tool}: {shown}");
    }
    let at_the_other = sensed(registry, &pair.server).await.to_string();
    assert!(!at_the_other.contains(id.as_str()), "{at_the_other}");
    let sense = json!({ "action": "sense_traces", "listing_id": id });
    assert_eq!(registry.post(STIGMERGY, &sense).await.body["next"]["action"], "check_status");

    registry.run("operator", json!({ "command": "restore", "listing_id": id })).await;
    registry.deliver_to_live(id).await;
    for kind in ["hot", "demand"] {
        let shown = registry.call_tool("follow_trail", &json!({ "kind": kind })).await.to_string();
        assert!(shown.contains(id.as_str()), "{kind}: {shown}");
    }
}

#[tokio::test]
async fn only_the_operator_can_evaporate_trails() {
    let token = "0123456789abcdef0123456789abcdef";
    let registry =
        TestRegistry::start_with(TestOptions::default().with_setting("OPERATOR_TOKEN", token)).await;
    let ids = tests::fixtures::insert_live_listings(&registry.app, registry::model::Kind::Mcp, 60).await;
    for (number, other) in ids[1..].iter().enumerate() {
        let pair = json!({ "listing_id": ids[0], "listing_b": other, "body": "A use." });
        call_as(&registry, u8::try_from(number).unwrap(), "used_with", pair).await.unwrap();
    }
    let body = json!({ "action": "evaporate", "listing_id": ids[0] });
    for body in [&json!({ "action": "evaporate", "amount": 10 }), &body] {
        assert_eq!(registry.post(STIGMERGY, body).await.status, 401);
    }
    let other = "another token that is long enough";
    assert_eq!(registry.post_with_token(STIGMERGY, other, &body).await.status, 403);
    assert_eq!(sensed(&registry, &ids[0]).await["marks"].as_array().unwrap().len(), 50);

    let gone = registry.post_with_token(STIGMERGY, token, &body).await.ok();
    let removed = (&gone["marks"], &gone["compositions"], &gone["values"], &gone["complete"]);
    assert_eq!(removed, (&json!(59), &json!(59), &json!(true), &json!(true)), "{gone}");
    let after = sensed(&registry, &ids[0]).await;
    let left = (&after["marks"], &after["compositions"], &after["trails"][0]["attraction"]);
    assert_eq!(left, (&json!([]), &json!([]), &json!(0.0)));
    assert_eq!(after["totals"]["compositions"], 0);
    assert_eq!(sensed(&registry, &ids[1]).await["compositions"], json!([]), "left at the other listing");
    let repeated = json!({ "listing_id": ids[0], "listing_b": ids[1] });
    let repeated = call_as(&registry, 0, "used_with", repeated).await.unwrap();
    assert_eq!(repeated["counted"], false, "the same source counted again");
}
