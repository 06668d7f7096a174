//! Tests sessions that span several protocols. Anyone with the id of a session can read it and append to it.
//! Concurrent appends are all stored. Sessions expire.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;
use registry::model::LimitedAction;
use tests::prelude::*;
use tests::test_registry::snapshot_of;

use super::{INTEROP, act};
use crate::fixtures::{call_as, live_agent, refused_arguments, values_of};

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
    registry.follow(&read["next"]).await.ok();
    registry.call_tool("interop_session", &read["next"]["body"]).await;

    let closed = act(&registry, INTEROP, "session_close", json!({ "session_id": id })).await;
    assert_eq!(closed["session"]["steps_left"], 0, "{closed}");
    let refused = registry.refused_tool("interop_session", &step(id, "more")).await;
    assert_members(&refused, &json!({ "status": 409, "code": "session_closed" }));
    assert_eq!(registry.settled(INTEROP).await["sessions"], json!({ "opened": 1, "closed": 1 }));
    registry.advance(DAY * 7);
    let get = json!({ "action": "get", "session_id": id });
    let refused = registry.refused_tool("interop_session", &get).await;
    assert_members(&refused, &json!({ "status": 404, "code": "session_not_found" }));
}

#[tokio::test]
async fn concurrent_session_steps_are_stored_up_to_the_limit() {
    let registry = TestRegistry::start().await;
    let id = open(&registry).await;
    // `busy` means that the step was not written and the client should send it again.
    let append = async |action: String| {
        while let Err(problem) = call_as(&registry, 1, "interop_session", step(&id, &action)).await {
            assert_eq!(problem.code.as_str(), "busy", "{problem:?}");
        }
    };
    for round in 0..5 {
        join_all((0..20).map(|number| append(format!("step {round} {number}")))).await;
    }
    let read = registry.call_tool("interop_session", &json!({ "action": "get", "session_id": id })).await;
    let actions: BTreeSet<String> = values_of(&read["session"]["steps"], "action").into_iter().collect();
    assert_eq!((actions.len(), &read["session"]["steps_left"]), (100, &json!(0)));
    let refused = registry.refused_tool("interop_session", &step(&id, "one too many")).await;
    assert_members(&refused, &json!({ "status": 409, "code": "session_full" }));
    registry.call_tool("interop_session", &json!({ "action": "close", "session_id": id })).await;
}

#[tokio::test]
async fn invalid_session_arguments_are_refused() {
    let registry = TestRegistry::start().await;
    let id = open(&registry).await;
    let unknown = format!("ses_{}", "0".repeat(32));
    let invalid = [
        json!({ "action": "get" }),
        json!({ "action": "get", "session_id": "ses_1" }),
        json!({ "action": "open", "session_id": "ses_1" }),
        json!({ "action": "append", "session_id": id, "match_q": "x" }),
        json!({ "action": "append", "session_id": id, "detail": "x" }),
        json!({ "step_action": "x".repeat(61) }),
        json!({ "demo_order_id": "ord_1" }),
        json!({ "action": "get", "session_id": unknown }),
        json!({ "action": "append", "session_id": unknown, "step_action": "x" }),
        json!({ "action": "close", "session_id": unknown }),
    ];
    insta::assert_snapshot!(refused_arguments(&registry, "interop_session", &json!({}), invalid).await);
}

#[tokio::test]
async fn session_steps_are_limited_per_caller() {
    let options = TestOptions::default().with_rate(LimitedAction::SessionStep, |rate| rate.caller = 2);
    let registry = TestRegistry::start_with(options).await;
    let id = open(&registry).await;
    for _ in 0..2 {
        registry.call_tool("interop_session", &step(&id, "x")).await;
    }
    let refused = registry.refused_tool("interop_session", &step(&id, "x")).await;
    assert_members(&refused, &json!({ "status": 429, "allowance": "caller" }));
    let read = registry.call_tool("interop_session", &json!({ "action": "get", "session_id": id })).await;
    assert_eq!(read["session"]["steps"].as_array().unwrap().len(), 2);
}
