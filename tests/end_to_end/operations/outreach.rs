//! Tests the reports about outreach: `demo_nudge`, `outreach_opt_out`, `conversion_pressure`, `reply_capture`
//! and `agentfinder`. All data in the reports comes from the table.

use serde_json::{Value, json};
use tests::test_registry::{DAY, TestRegistry};

use crate::fixtures::{LivePair, live_agent, live_pair, values_of};

const NUDGE: &str = "/api/products/demo-nudge";

async fn body(registry: &TestRegistry, path: &str) -> Value {
    let reply = registry.get(path).await;
    assert_eq!((reply.status, &reply.body["ok"]), (200, &json!(true)), "{path}: {reply:?}");
    assert!(reply.body["version"].is_string(), "{path}: {reply:?}");
    reply.body
}

#[tokio::test]
async fn empty_registry_has_no_invitations_and_no_budget() {
    let registry = TestRegistry::start().await;
    let nudge = body(&registry, NUDGE).await;
    assert_eq!(nudge["day"], json!({ "day": "2026-11-20", "sent": 0, "cap": 0, "room": 0 }));
    assert_eq!((&nudge["last_run_at"], &nudge["recent"]), (&json!(null), &json!([])));
    assert_eq!(body(&registry, "/api/products/conversion-pressure").await["room"], 0);
    assert_eq!(body(&registry, "/api/products/reply-capture").await["count"], 0);
}

#[tokio::test]
async fn numbers_match_the_sent_invitations() {
    let LivePair { registry, agent, server, .. } = live_pair().await;
    let waiting = body(&registry, NUDGE).await;
    assert_eq!((&waiting["first_message_queue"], &waiting["plan"]["max_today"]), (&json!(2), &json!(2)));
    registry.reach_out().await;
    let nudge = body(&registry, NUDGE).await;
    assert_eq!(nudge["day"], json!({ "day": "2026-11-20", "sent": 2, "cap": 12, "room": 10 }));
    assert_eq!((&nudge["first_message_queue"], &nudge["cooling"]), (&json!(0), &json!(2)));
    assert_eq!(nudge["last_run_at"], json!(registry.now()));
    let pressure = body(&registry, "/api/products/conversion-pressure").await;
    let fields = ["day_sent", "day_cap", "base_cap", "room", "cooldown_days", "live"];
    let shown = fields.map(|name| pressure[name].clone());
    assert_eq!(shown, [2, 12, 12, 10, 30, 2].map(|number: u32| json!(number)), "{pressure}");
    let replies = body(&registry, "/api/products/reply-capture").await;
    assert_eq!(replies["totals"], json!({ "touched": 2, "demos": 0, "feedback": 0, "check_ins": 0 }));
    let ids = values_of(&replies["recent"], "listing_id");
    assert!(ids.contains(&agent.to_string()) && ids.contains(&server.to_string()), "{replies}");
    assert!(!replies.to_string().contains("A free demo"), "the text of a message was returned");
    registry.post("/api/talk", &json!({ "listing_id": agent, "action": "check_in" })).await;
    assert_eq!(body(&registry, "/api/products/reply-capture").await["totals"]["check_ins"], 1);
    registry.advance(DAY * 30);
    let later = body(&registry, NUDGE).await;
    assert_eq!((&later["cooling"], &later["plan"]["max_today"]), (&json!(0), &json!(2)), "the pause is over");
}

/// Otherwise anybody could make the registry write to an owner who said no.
#[tokio::test]
async fn opting_out_can_be_repeated_and_opting_in_requires_the_proof_of_the_owner() {
    let (registry, _peer, id) = live_agent().await;
    for (body, changed) in
        [(json!({ "listing_id": id }), true), (json!({ "listing_id": id, "action": "opt_out" }), false)]
    {
        let reply = registry.post(NUDGE, &body).await;
        reply.assert_body(200, &json!({ "opted_out": true, "changed": changed }));
    }
    let reply = registry.post(NUDGE, &json!({ "listing_id": id, "action": "opt_in" })).await;
    reply.assert_refused(403, "opt_in_needs_proof");
    let next = &reply.body["next"];
    let call = (&next["tool"], &next["body"]["act"]);
    assert_eq!(call, (&json!("manage_listing"), &json!("opt_in")), "{reply:?}");
    assert!(next["note"].as_str().unwrap().contains(&format!("/prove?id={id}")), "{next}");
    registry.settle();
    assert_eq!(body(&registry, NUDGE).await["do_not_contact"], 1);
    assert_eq!(registry.reach_out().await["invited"], 0);
}

#[tokio::test]
async fn invalid_opt_out_choices_are_refused() {
    let (registry, _peer, id) = live_agent().await;
    for (body, status) in [
        (json!({ "listing_id": "agtpub_00000000000000000000" }), 404),
        (json!({ "listing_id": id, "action": "shout" }), 422),
        (json!({ "action": "opt_out" }), 422),
        (json!([]), 400),
    ] {
        let reply = registry.post(NUDGE, &body).await;
        assert_eq!(reply.status, status, "{body}: {reply:?}");
        reply.assert_problem();
    }
    assert_eq!(registry.send("DELETE", NUDGE, &[], "").await.status, 405);
}
