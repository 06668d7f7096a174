//! Tests sessions that span several protocols. Anyone with the id of a session can read it and append to it.
//! Concurrent appends are all stored. Sessions expire.

use std::time::Duration;

use futures::future::join_all;
use registry::model::LimitedAction;
use tests::prelude::*;
use tests::test_registry::snapshot_of;

use super::{INTEROP, act};
use crate::fixtures::{call_as, live_agent, values_of};

async fn open(registry: &TestRegistry) -> String {
    let opened = act(registry, INTEROP, "session_open", json!({ "entry_protocol": "a2a" })).await;
    opened["session_id"].as_str().unwrap().to_owned()
}

fn step(id: &str, action: &str) -> Value {
    json!({ "action": "append", "session_id": id, "step_action": action })
}

#[tokio::test]
async fn session_collects_the_steps_of_callers_until_it_is_closed() {
    let (registry, _peer, listing) = live_agent().await;
    let opening = json!({ "entry_protocol": "a2a", "agent_name": "Planner", "match_q": "weather" });
    let opened = act(&registry, INTEROP, "session_open", opening).await;
    let id = opened["session_id"].as_str().unwrap();
    assert_eq!((&opened["action"], &opened["session"]["steps"]), (&json!("open"), &json!([])));
    let more = json!({ "listing_id": listing, "detail": "Two of them answer.", "entry_protocol": "mcp" });
    registry.call_tool("interop_session", &with_members(step(id, "resolved"), &more)).await;
    registry.advance(Duration::from_secs(1));
    registry.call_tool("interop_session", &step(id, "called")).await;
    let read = act(&registry, INTEROP, "session_get", json!({ "session_id": id })).await;
    insta::assert_snapshot!(snapshot_of(
        &read["session"],
        &[(id, "[session]"), (listing.as_str(), "[listing]")]
    ));
    let table = format!("{:?}", registry.table().await);
    assert!(!table.contains(id), "the table contains the session id, not only its digest");

    // `next` works over HTTP and as a tool call.
    let next = &read["next"];
    assert_eq!(next["url"], registry.url(INTEROP));
    assert_eq!(registry.post(INTEROP, &next["body"]).await.status, 200);
    registry.call_tool("interop_session", &next["body"]).await;

    let closed = act(&registry, INTEROP, "session_close", json!({ "session_id": id })).await;
    assert_eq!(closed["session"]["steps_left"], 0, "{closed}");
    let refused = registry.refused_tool("interop_session", &step(id, "more")).await;
    assert_members(&refused, &json!({ "status": 409, "code": "session_closed" }));
    registry.settle();
    assert_eq!(registry.get(INTEROP).await.body["sessions"], json!({ "opened": 1, "closed": 1 }));
    registry.advance(DAY * 7);
    let get = json!({ "action": "get", "session_id": id });
    let refused = registry.refused_tool("interop_session", &get).await;
    assert_members(&refused, &json!({ "status": 404, "code": "session_not_found" }));
}

#[tokio::test]
async fn concurrent_session_steps_are_stored_up_to_the_limit() {
    let registry = TestRegistry::start().await;
    let id = open(&registry).await;
    for round in 0..5 {
        let steps: Vec<Value> = (0..20).map(|number| step(&id, &format!("step {round} {number}"))).collect();
        let results =
            join_all(steps.iter().map(|step| call_as(&registry, 1, "interop_session", step.clone()))).await;
        // `busy` means that the step was not written and the client should send it again.
        for (step, result) in steps.iter().zip(results) {
            let mut result = result;
            while let Err(problem) = result {
                assert_eq!(problem.code.as_str(), "busy", "{problem:?}");
                result = call_as(&registry, 1, "interop_session", step.clone()).await;
            }
        }
    }
    let read = registry.call_tool("interop_session", &json!({ "action": "get", "session_id": id })).await;
    let mut actions = values_of(&read["session"]["steps"], "action");
    actions.sort_unstable();
    actions.dedup();
    assert_eq!((actions.len(), &read["session"]["steps_left"]), (100, &json!(0)));
    let refused = registry.refused_tool("interop_session", &step(&id, "one too many")).await;
    assert_eq!((&refused["status"], &refused["code"]), (&json!(409), &json!("session_full")));
    registry.call_tool("interop_session", &json!({ "action": "close", "session_id": id })).await;
}

#[tokio::test]
async fn invalid_session_arguments_are_refused() {
    let registry = TestRegistry::start().await;
    let id = open(&registry).await;
    for (arguments, field, code) in [
        (json!({ "action": "get" }), "session_id", "missing_argument"),
        (json!({ "action": "get", "session_id": "ses_1" }), "session_id", "invalid_argument"),
        (json!({ "action": "open", "session_id": "ses_1" }), "session_id", "invalid_argument"),
        (json!({ "action": "append", "session_id": id, "match_q": "x" }), "step_action", "nothing_to_append"),
        (json!({ "action": "append", "session_id": id, "detail": "x" }), "step_action", "missing_argument"),
        (json!({ "step_action": "x".repeat(61) }), "step_action", "bad_length"),
        (json!({ "step_action": "x", "detail": "mail a@example.com" }), "detail", "email_address"),
        (json!({ "demo_order_id": "ord_1" }), "demo_order_id", "invalid_argument"),
    ] {
        let refused = registry.refused_tool("interop_session", &arguments).await;
        assert_eq!(refused["field"], field, "{arguments}: {refused}");
        assert_eq!(refused["code"], code, "{arguments}: {refused}");
    }
    let unknown = format!("ses_{}", "0".repeat(32));
    for action in ["get", "append", "close"] {
        let arguments = with_members(step(&unknown, "x"), &json!({ "action": action }));
        assert_eq!(registry.refused_tool("interop_session", &arguments).await["status"], 404, "{action}");
    }
}

#[tokio::test]
async fn session_rate_limits_are_per_caller() {
    let options = TestOptions::default()
        .with_rate(LimitedAction::Session, |rate| rate.caller = 1)
        .with_rate(LimitedAction::SessionStep, |rate| rate.caller = 2);
    let registry = TestRegistry::start_with(options).await;
    let id = open(&registry).await;
    let refused = registry.refused_tool("interop_session", &json!({ "action": "open" })).await;
    assert_eq!((&refused["status"], &refused["allowance"]), (&json!(429), &json!("caller")));
    for _ in 0..2 {
        registry.call_tool("interop_session", &step(&id, "x")).await;
    }
    assert_eq!(registry.refused_tool("interop_session", &step(&id, "x")).await["status"], 429);
    let read = registry.call_tool("interop_session", &json!({ "action": "get", "session_id": id })).await;
    assert_eq!(read["session"]["steps"].as_array().unwrap().len(), 2);
}
