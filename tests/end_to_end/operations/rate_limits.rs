//! Tests that each act that writes or calls another host counts for the rate limit of its caller.

use registry::model::LimitedAction;
use tests::fixtures;
use tests::prelude::*;

const UNKNOWN: &str = "agtpub_00000000000000000000";

/// Acts about a Live listing: what is limited, what else is limited in addition to the caller, and the path and the body.
fn acts() -> [(LimitedAction, Option<&'static str>, &'static str, Value); 10] {
    const TRUST: &str = "/api/products/first-principles";
    const INTEROP: &str = "/api/products/interop";
    let url = json!({ "url": "https://agent.example.org/agent-card.json" });
    let trace = json!({ "action": "leave_trace", "body": "Good." });
    [
        (LimitedAction::Publish, Some("host"), "/api/publish", url),
        (LimitedAction::Attestation, None, TRUST, json!({ "action": "attest" })),
        (LimitedAction::OwnerProof, None, TRUST, json!({ "action": "bind_identity" })),
        (LimitedAction::Outcome, None, INTEROP, json!({ "action": "deposit_outcome", "ok": true })),
        (LimitedAction::Session, None, INTEROP, json!({ "action": "session_open" })),
        (LimitedAction::Trace, None, "/api/products/stigmergy", trace),
        (LimitedAction::Report, Some("listing"), "/api/report", json!({ "reason": "Spam." })),
        (LimitedAction::Talk, Some("listing"), "/api/talk", json!({ "text": "Hello." })),
        (LimitedAction::OptOut, None, "/api/products/demo-nudge", json!({})),
        // It is counted although its listing is unknown.
        (LimitedAction::OptOut, None, "/api/products/demo-nudge", json!({ "listing_id": UNKNOWN })),
    ]
}

#[tokio::test]
async fn acts_are_limited_per_caller_and_hour() {
    for (action, _, path, body) in acts() {
        let options = TestOptions::default().with_rate(action, |rate| rate.caller = 2);
        let registry = TestRegistry::start_with(options).await;
        let ids = fixtures::insert_live_listings(&registry.app, Kind::Mcp, 3).await;
        let accepted = if body["listing_id"] == UNKNOWN { 404 } else { 200 };
        for (id, status) in ids.iter().zip([accepted, accepted, 429]) {
            let before = registry.table().await.without(&["RATE#"]);
            let reply = registry.post(path, &about(id, path, &body)).await;
            assert_eq!(reply.status, status, "{action:?}: {reply:?}");
            if status == 429 {
                reply.assert_problem();
                assert_members(&reply.body, &json!({ "code": "rate_limited", "allowance": "caller" }));
                let after = registry.table().await.without(&["RATE#"]);
                assert_eq!(before.difference(&after), [""; 0], "{action:?}: a refused act was written");
            }
        }
        registry.advance(HOUR);
        assert_eq!(registry.post(path, &about(&ids[2], path, &body)).await.status, accepted, "{action:?}");
    }
}

/// The body of an act about a listing.
fn about(id: &ListingId, path: &str, body: &Value) -> Value {
    if path == "/api/publish" { body.clone() } else { with_members(json!({ "listing_id": id }), body) }
}

/// The first tenth of a caller's limit, and at least three acts, are accepted whatever the limit of the target is.
#[tokio::test]
async fn strangers_who_use_up_the_limit_of_a_target_lock_nobody_out() {
    for (action, target, path, body) in acts() {
        let Some(target) = target else { continue };
        let options = TestOptions::default().with_rate(action, |rate| (rate.caller, rate.target) = (30, 4));
        let registry = TestRegistry::start_with(options).await;
        let ids = fixtures::insert_live_listings(&registry.app, Kind::Mcp, 1).await;
        let body = about(&ids[0], path, &body);
        let send = async |caller: u8| registry.post_from([127, 0, 0, caller].into(), path, &body).await;
        for caller in [2, 2, 2, 3, 3, 3, 200] {
            assert_eq!(send(caller).await.status, 200, "{action:?} by {caller}");
        }
        for caller in [2, 3] {
            let refused = send(caller).await;
            refused.assert_body(429, &json!({ "code": "rate_limited", "allowance": target }));
            assert_contains(&refused.body["detail"].to_string(), &[&format!("for this {target}")]);
        }
    }
}

/// Visits of the owner must not depend on what strangers do.
#[tokio::test]
async fn check_in_is_accepted_although_the_limit_of_its_listing_is_used_up() {
    let options =
        TestOptions::default().with_rate(LimitedAction::Talk, |rate| (rate.caller, rate.target) = (60, 6));
    let registry = TestRegistry::start_with(options).await;
    let ids = fixtures::insert_live_listings(&registry.app, Kind::Mcp, 1).await;
    let send = async |text: &str| {
        let body = json!({ "listing_id": ids[0], "action": "message", "text": text });
        registry.post("/api/talk", &body).await.status
    };
    for _ in 0..6 {
        assert_eq!((send("Hello.").await, send("").await), (200, 422), "an invalid act was counted");
    }
    assert_eq!(send("Hello.").await, 429);
    let present = json!({ "listing_id": ids[0], "action": "check_in" });
    registry.post("/api/talk", &present).await.ok();
}

#[tokio::test]
async fn repeated_demos_and_checks_of_many_servers_are_limited() {
    let options = TestOptions::default().with_rate(LimitedAction::Product, |rate| rate.caller = 2);
    let registry = TestRegistry::start_with(options).await;
    let ids = fixtures::insert_live_listings(&registry.app, Kind::Mcp, 1).await;
    for status in [200, 200, 200, 429] {
        let demo = registry.post("/api/products/demo", &json!({ "listing_id": ids[0] })).await;
        assert_eq!(demo.status, status, "{demo:?}");
    }
    for (servers, status) in [(10, 200), (11, 429)] {
        let pin = |n| json!({ "listing_id": format!("mcp-{n}"), "hash": "0".repeat(64) });
        let pins: Vec<_> = (0..servers).map(pin).collect();
        let checked = registry.post("/api/pins/check", &json!({ "pins": pins })).await;
        assert_eq!(checked.status, status, "{checked:?}");
    }
}
