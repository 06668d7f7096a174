//! Tests that each act that writes or calls another host counts for the rate limit of its caller.

use registry::model::LimitedAction;
use tests::fixtures;
use tests::prelude::*;

#[tokio::test]
async fn acts_are_limited_per_caller_and_hour() {
    const TRUST: &str = "/api/products/first-principles";
    const INTEROP: &str = "/api/products/interop";
    const UNKNOWN: &str = "agtpub_00000000000000000000";
    for (action, path, body, accepted) in [
        (LimitedAction::Attestation, TRUST, json!({ "action": "attest" }), 200),
        (LimitedAction::OwnerProof, TRUST, json!({ "action": "bind_identity" }), 200),
        (LimitedAction::Outcome, INTEROP, json!({ "action": "deposit_outcome", "ok": true }), 200),
        (
            LimitedAction::Trace,
            "/api/products/stigmergy",
            json!({ "action": "leave_trace", "body": "Good." }),
            200,
        ),
        (LimitedAction::OptOut, "/api/products/demo-nudge", json!({ "listing_id": UNKNOWN }), 404),
    ] {
        let options = TestOptions::default().with_rate(action, |rate| rate.caller = 2);
        let registry = TestRegistry::start_with(options).await;
        let ids = fixtures::insert_live_listings(&registry.app, Kind::Mcp, 3).await;
        let send = async |number: usize| {
            let mut body = body.clone();
            if accepted == 200 {
                body["listing_id"] = json!(ids[number]);
            }
            registry.post(path, &body).await
        };
        for (number, status) in [accepted, accepted, 429].into_iter().enumerate() {
            let reply = send(number).await;
            assert_eq!(reply.status, status, "{action:?} {number}: {reply:?}");
        }
        registry.advance(HOUR);
        assert_eq!(send(2).await.status, accepted, "{action:?}");
    }
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
