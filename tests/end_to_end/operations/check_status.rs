//! Tests `check_status`: the state of a listing, with the evidence of its last probe.

use std::collections::BTreeSet;

use registry::operator::takedown;
use tests::peers::sign_in;
use tests::prelude::*;

use crate::fixtures::{live_agent, refused_queries};

/// The calls in an answer, without contributions that have to wait.
fn calls(answer: &Value) -> Vec<&Value> {
    match answer {
        Value::Array(values) => values.iter().flat_map(calls).collect(),
        Value::Object(call) if ["action", "method", "url"].iter().all(|name| call.contains_key(*name)) => {
            vec![answer]
        }
        Value::Object(members) if members.contains_key("waits_for") => Vec::new(),
        Value::Object(members) => members.values().flat_map(calls).collect(),
        _ => Vec::new(),
    }
}

async fn sent(registry: &TestRegistry, path: &str, body: &Value) -> Reply {
    if body.is_null() { registry.get(path).await } else { registry.post(path, body).await }
}

/// Sends each call in an answer, and each in the answers to them, unless only the caller knows its body. Each must work.
async fn follow(registry: &TestRegistry, source: &str, answer: Value) {
    let (mut open, mut known) = (vec![answer], BTreeSet::new());
    while let Some(answer) = open.pop() {
        for call in calls(&answer) {
            let (url, body) = (call["url"].as_str().unwrap(), &call["body"]);
            let path = url.strip_prefix(&registry.url("")).unwrap_or_else(|| panic!("{source}: {call}"));
            // Each draft of the feedback has another key, and the feedback can be sent once.
            let is_new = known.insert(format!("{path} {} {}", body["action"], body["listing_id"]));
            if is_new && (call["method"] == "GET" || !body.is_null()) {
                let reply = sent(registry, path, body).await;
                assert!(reply.status < 400, "{source}: {call}: {reply:?}");
                open.push(reply.body);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn next_steps_work_unchanged_in_every_state() {
    let (registry, live_peer, live) = live_agent().await;
    let authorization = Peer::start(sign_in::authorization_server).await;
    let closed = Peer::start(sign_in::gated(&authorization.origin)).await;
    let (broken, fleet) = (Peer::start(agents::only(404)).await, Peer::start(agents::fleet).await);
    let card = |number: u8| fleet.url(&format!("/{number}/card.json"));
    let (gated, needs_fix) =
        (registry.publish_mcp(&closed.url("/mcp")).await, registry.publish_card(&broken.card()).await);
    let (by_owner, by_operator) = (registry.live_card(&card(1)).await, registry.live_card(&card(2)).await);
    assert!(takedown::withdraw_by_owner(&registry.app, &by_owner).await.unwrap());
    registry.deliver_events().await;
    registry.withdraw(&by_operator, "Spam.").await;
    let queued = registry.publish_card(&card(3)).await;
    let answers = json!({ "tried": "a", "ux_friction": "b", "product_one_ship": "c", "overall": "d", "would_buy": "no" });
    for (id, lane, url) in [
        (queued, "queued", card(3)),
        (needs_fix, "needs_fix", broken.card()),
        (gated, "gated", closed.url("/mcp")),
        (by_owner, "withdrawn by its owner", card(1)),
        (by_operator, "withdrawn by the operator", card(2)),
        (live, "active", live_peer.card()),
        ("mcp-unknown".parse().unwrap(), "unknown", broken.card()),
    ] {
        let run = registry.get(&format!("/api/products/run?listing_id={id}")).await.body;
        if let Some(steps) = run["steps"].as_array() {
            let to_do = [["queued", "needs_fix"].contains(&lane), lane == "needs_fix"];
            assert_eq!([&steps[0]["to_do"], &steps[1]["to_do"]], to_do.map(Value::from).each_ref(), "{run}");
        }
        let feedback = json!({ "listing_id": id, "rating": 5, "answers": answers });
        let join = json!({ "action": "join_and_contribute", "listing_id": id });
        for (path, body) in [
            (format!("/api/listings/status?id={id}"), Value::Null),
            (format!("/api/score?url={url}"), Value::Null),
            (format!("/api/products/run?listing_id={id}"), Value::Null),
            (format!("/api/probe-clean?listing_id={id}"), Value::Null),
            (format!("/api/products/preview?listing_id={id}"), Value::Null),
            ("/api/products/verify".to_owned(), json!({ "listing_id": id })),
            (format!("/api/products/reciprocity?id={id}"), Value::Null),
            (format!("/api/talk?listing_id={id}"), Value::Null),
            ("/api/products/demo".to_owned(), json!({ "listing_id": id })),
            ("/api/products/feedback".to_owned(), feedback),
            ("/api/products/interop".to_owned(), join),
            ("/api/products/stigmergy".to_owned(), json!({ "action": "leave_trace", "listing_id": id })),
            ("/api/report".to_owned(), json!({ "listing_id": id, "reason": "Spam." })),
            ("/api/publish".to_owned(), json!({ "url": url })),
        ] {
            let reply = sent(&registry, &path, &body).await;
            assert!(reply.status < 400 || reply.body["next"].is_object(), "{path} of {lane}: {reply:?}");
            follow(&registry, &format!("{path} of {lane}"), reply.body).await;
        }
    }
}

#[tokio::test]
async fn status_requires_id_or_name_of_a_known_listing() {
    let refused = refused_queries(&[
        "/api/listings/status",
        "/api/listings/status?id=agtpub_00000000000000000000",
        "/api/listings/status?id=%27%20OR%201=1",
        "/api/listings/status?id=",
        "/api/listings/status?name=Nobody",
    ])
    .await;
    insta::assert_snapshot!(refused);
}

/// Whoever takes the name of another agent later does not answer for it.
#[tokio::test]
async fn name_means_the_listing_that_has_been_live_for_longest() {
    let (registry, first) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let older = registry.live_card(&first.card()).await;
    registry.advance(HOUR);
    let second = Peer::start(agents::newest).await;
    assert_ne!(older, registry.live_card(&second.card()).await);
    // A reader may also send a name, or the URL of the card or the endpoint, as an id.
    let card = first.card();
    for path in [
        "/api/listings/status?name=adder",
        "/api/products/reciprocity?name=Adder",
        "/api/listings/status?id=Adder",
        "/api/probe-clean?listing_id=Adder",
        "/api/liveness?listing_id=Adder",
        &format!("/api/listings/status?id={card}"),
        &format!("/api/listings/status?name={card}"),
        &format!("/api/products/reciprocity?name={older}"),
    ] {
        assert_eq!(registry.get(path).await.body["listing_id"], json!(older), "{path}");
    }
    let shared = "Other listings have this name, too.";
    for (by, is_said) in [("name=adder", true), ("id=adder", true), (&*format!("id={older}"), false)] {
        let status = registry.get(&format!("/api/listings/status?{by}")).await.body;
        assert_eq!(status["next"]["note"].as_str().unwrap().ends_with(shared), is_said, "{status}");
    }
    // What takes only an id leads from a name or a URL to the status, which has the id.
    let by_url = format!("/api/changes?listing_id={card}");
    for path in ["/log/proof?listing_id=Adder", "/api/changes?listing_id=Adder", &by_url] {
        let refused = registry.get(path).await;
        refused.assert_refused(404, "listing_not_found");
        let status = registry.follow(&refused.body["next"]).await.body;
        assert_eq!(status["listing_id"], json!(older), "{path}");
    }
}
