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
    let waiting = body(&registry, NUDGE).await;
    assert_eq!((&waiting["first_message_queue"], &waiting["plan"]["max_today"]), (&json!(2), &json!(2)));
    registry.reach_out().await;
    let nudge =
        members(&body(&registry, NUDGE).await, &["day", "first_message_queue", "cooling", "last_run_at"]);
    let pressure = body(&registry, "/api/products/conversion-pressure").await;
    let pressure = members(&pressure, &["day_sent", "day_cap", "base_cap", "room", "cooldown_days", "live"]);
    let replies = body(&registry, "/api/products/reply-capture").await;
    let sent = json!({ "nudge": nudge, "pressure": pressure, "replies": replies["totals"] });
    insta::assert_snapshot!(shown(&registry, &sent));
    assert!(
        [&agent, &server].iter().all(|id| replies["recent"].to_string().contains(id.as_str())),
        "{replies}"
    );
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
    let invalid = [
        json!({ "listing_id": "agtpub_00000000000000000000" }),
        json!({ "listing_id": id, "action": "shout" }),
        json!({ "action": "opt_out" }),
        json!([]),
    ];
    insta::assert_snapshot!(refused_bodies(&registry, NUDGE, &json!({}), invalid).await);
    assert_eq!(registry.send("DELETE", NUDGE, &[], "").await.status, 405);
}
