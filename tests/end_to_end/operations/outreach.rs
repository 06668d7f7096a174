//! Tests the reports about outreach: `demo_nudge`, `outreach_opt_out`, `conversion_pressure`, `reply_capture`
//! and `agentfinder`. All data in the reports comes from the table.

use tests::prelude::*;

use crate::fixtures::{LivePair, live_agent, live_pair, members, refused_bodies, shown};

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
    insta::assert_snapshot!(shown(&registry, &members(&nudge, &["day", "last_run_at", "recent"])));
    assert_eq!(body(&registry, "/api/products/conversion-pressure").await["room"], 0);
    assert_eq!(body(&registry, "/api/products/reply-capture").await["count"], 0);
}

#[tokio::test]
async fn numbers_match_the_sent_invitations() {
    let LivePair { registry, agent, server, .. } = live_pair().await;
    let waiting = json!({ "first_message_queue": 2, "/plan/max_today": 2 });
    assert_members(&body(&registry, NUDGE).await, &waiting);
    registry.reach_out().await;
    let nudge =
        members(&body(&registry, NUDGE).await, &["day", "first_message_queue", "cooling", "last_run_at"]);
    let pressure = body(&registry, "/api/products/conversion-pressure").await;
    let pressure = members(&pressure, &["day_sent", "day_cap", "base_cap", "room", "cooldown_days", "live"]);
    let replies = body(&registry, "/api/products/reply-capture").await;
    let sent = json!({ "nudge": nudge, "pressure": pressure, "replies": replies["totals"] });
    insta::assert_snapshot!(shown(&registry, &sent));
    assert_contains(&replies["recent"].to_string(), &[agent.as_str(), server.as_str()]);
    assert!(!replies.to_string().contains("A free demo"), "the text of a message was returned");
    registry.post("/api/talk", &json!({ "listing_id": agent, "action": "check_in" })).await;
    assert_eq!(body(&registry, "/api/products/reply-capture").await["totals"]["check_ins"], 1);
    // The pause is over.
    registry.advance(DAY * 30);
    assert_members(&body(&registry, NUDGE).await, &json!({ "cooling": 0, "/plan/max_today": 2 }));
}

/// Otherwise anybody could make the registry write to an owner who said no.
#[tokio::test]
async fn opting_out_can_be_repeated_and_opting_in_requires_the_proof_of_the_owner() {
    let (registry, _peer, id) = live_agent().await;
    let act = async |action: &str| registry.post(NUDGE, &json!({ "listing_id": id, "action": action })).await;
    for changed in [true, false] {
        act("opt_out").await.assert_body(200, &json!({ "opted_out": true, "changed": changed }));
    }
    let reply = act("opt_in").await;
    reply.assert_refused(403, "opt_in_needs_proof");
    assert_members(&reply.body["next"], &json!({ "tool": "manage_listing", "/body/act": "opt_in" }));
    assert_contains(&reply.body["next"]["note"].to_string(), &[&format!("/prove?id={id}")]);
    let invalid = [
        json!({ "listing_id": "agtpub_00000000000000000000" }),
        json!({ "listing_id": id, "action": "shout" }),
        json!({ "action": "opt_out" }),
        json!([]),
    ];
    insta::assert_snapshot!(refused_bodies(&registry, NUDGE, &json!({}), invalid).await);
    registry.settle();
    assert_eq!(body(&registry, NUDGE).await["do_not_contact"], 1);
    assert_eq!(registry.reach_out().await["invited"], 0);
}
