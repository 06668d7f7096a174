//! Tests the first probe of a listing, which its `listing.queued` event starts. Several such events can arrive at the same
//! time. An event can also be delivered twice, or for an unknown listing.

use std::sync::{Arc, Barrier};

use axum::response::IntoResponse as _;
use futures::future::join_all;
use http::StatusCode;
use tests::prelude::*;

use crate::fixtures::{live_agent, queued_agent, recheck_at, server_json, time};

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_first_probe_events_start_one_probe() {
    let (registry, peer, id) = queued_agent(agents::newest).await;
    join_all((0..32).map(|_| registry.first_probe(&id))).await;
    assert_eq!(peer.request_names(), ["GET /.well-known/agent-card.json", "GetTask", "SendMessage"]);
    let one = json!({ "used": 1, "/outcomes/handshake/ok": 1, "/probe_worker/last_probed": id,
        "/probe_worker/last_result": "ok" });
    assert_members(&registry.probe_statistics().await, &one);
    assert_eq!((registry.lane(&id).await.as_str(), registry.live_counts().await), ("active", (1, 0)));
    assert_eq!(registry.feed_types().await.len(), 2);
}

/// Four cards name one interface. The interface answers when all probes have arrived, so that all verdicts come at the
/// same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn only_one_of_many_listings_with_one_endpoint_goes_live() {
    let registry = TestRegistry::start().await;
    let all_arrived = Arc::new(Barrier::new(4));
    let peer = Peer::start(move |request| {
        if request.method() == Some("SendMessage") {
            tokio::task::block_in_place(|| all_arrived.wait());
        }
        match request.verb.as_str() {
            "GET" => json_answer(200, &agents::card(request, "Twin")),
            _ => agents::speaks_newest(request),
        }
    })
    .await;
    let ids = registry.publish_fleet(&peer, 0..4).await;
    join_all(ids.iter().map(|id| registry.first_probe(id))).await;
    assert_eq!(registry.live_counts().await, (1, 0));
    let table = registry.table().await;
    let holders = table.items_under("ENDPOINT#");
    let live = id_of(holders[0]);
    assert!(holders.len() == 2 && holders[0]["listing_id"] == holders[1]["listing_id"], "{holders:?}");
    assert_eq!(registry.lane(&live).await, "active");
    for id in ids.iter().filter(|id| **id != live) {
        let status = registry.status(id).await;
        assert_members(
            &status,
            &json!({ "lane": "needs_fix", "/reasons/0/code": "endpoint_unique", "/reasons/1": null }),
        );
        assert_contains(status["reasons"][0]["seen"].as_str().unwrap(), &[live.as_str()]);
    }
}

#[tokio::test]
async fn endpoint_can_be_used_again_after_its_listing_has_moved() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    let first = registry.live_card(&peer.url("/one/card.json")).await;
    let second_card = peer.url("/two/card.json");
    let (one, origin) = (peer.url("/one/rpc"), peer.origin.clone());
    let shared = one.clone();
    peer.answer_with(move |request| match request.verb.as_str() {
        "GET" if request.path.starts_with("/two") => json_answer(200, &agents::card_at("Two", &shared)),
        _ => agents::fleet(request),
    });
    let second = registry.publish_card(&second_card).await;
    registry.deliver_events().await;
    assert_eq!(registry.reason_codes(&second).await, ["endpoint_unique"]);

    // The first listing moves its interface; its recheck releases the old one.
    peer.answer_with(move |request| match request.verb.as_str() {
        "GET" if request.path.starts_with("/two") => json_answer(200, &agents::card_at("Two", &one)),
        "GET" => json_answer(200, &agents::card_at("One", &format!("{origin}/elsewhere/rpc"))),
        _ => agents::fleet(request),
    });
    registry.recheck_after(HOUR * 24 * 7).await;
    assert_eq!(registry.status(&first).await["probe"]["target"], peer.url("/elsewhere/rpc"));
    registry.publish_card(&second_card).await;
    registry.deliver_to_live(&second).await;
    assert_eq!(registry.live_counts().await, (2, 0));
    assert_eq!(registry.table().await.items_under("ENDPOINT#").len(), 4, "an endpoint and a card each");
}

#[tokio::test]
async fn event_about_an_unknown_listing_does_nothing() {
    let registry = TestRegistry::start().await;
    assert_eq!(registry.first_probe(&"agtpub_00000000000000000000".parse().unwrap()).await["claimed"], 0);
    assert_eq!(registry.table().await.keys(), [""; 0]);
}

#[tokio::test]
async fn retries_wait_longer_each_time_and_follow_retry_after() {
    let (registry, _peer, id) = queued_agent(agents::only(404)).await;
    let mut waits = Vec::new();
    for _ in 0..7 {
        registry.tick().await;
        let status = registry.status(&id).await;
        let retry = time(&status["retry_at"]);
        waits.push(retry.duration_since(registry.now()).as_hours());
        registry.advance_to(retry + jiff::SignedDuration::from_secs(1));
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 24, 24]);

    let busy = |_: &PeerRequest| (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "7200")]).into_response();
    let polite = Peer::start(busy).await;
    let id = registry.publish_card(&polite.card()).await;
    registry.first_probe(&id).await;
    let status = registry.status(&id).await;
    assert_eq!((&status["lane"], &status["reasons"][0]["code"]), (&json!("queued"), &json!("rate_limited")));
    let wait = time(&status["retry_at"]).duration_since(registry.now()).as_secs();
    assert!((7200..7200 + 360).contains(&wait), "the first tick after two hours: {wait}");
}

/// A publisher names only the site. The listing stays Live as long as the server or card that was found answers.
#[tokio::test]
async fn site_leads_to_its_card_or_to_its_mcp_server() {
    let home =
        |request: &PeerRequest| json_answer(if request.verb == "GET" { 200 } else { 404 }, &json!("Hello"));
    let server = Peer::start(move |request: &PeerRequest| match request.path.as_str() {
        "/mcp" => servers::modern(request),
        _ => home(request),
    })
    .await;
    let agent = Peer::start(move |request: &PeerRequest| match request.path.as_str() {
        "/" => home(request),
        _ => agents::newest(request),
    })
    .await;
    let registry = TestRegistry::start().await;
    for (peer, kind, found) in [(&server, "mcp", "/mcp"), (&agent, "agent", "/.well-known/agent-card.json")] {
        let id = id_of(&registry.publish(&json!({ "url": peer.url("/") })).await);
        let status = registry.probed_status(&id).await;
        assert_eq!((&status["lane"], &status["kind"]), (&json!("active"), &json!(kind)), "{status}");
        peer.forget_requests();
        registry.recheck_after(DAY * 7).await;
        assert_eq!(registry.status(&id).await["failed_recheck_hours"], json!(null), "{kind}");
        let requests = peer.requests();
        assert!(requests.iter().any(|request| request.path == found), "{kind}: {requests:?}");
        assert!(peer.requests().iter().all(|request| request.path != "/" || kind == "agent"), "{kind}");
    }
    let row = &registry.get("/api/listings/active?kind=mcp").await.body["mcps"][0];
    assert_eq!(row["agent_card_url"], json!(server.url("/mcp")), "{row}");
}

#[tokio::test]
async fn fixed_card_of_a_site_may_be_at_another_path() {
    let broken = |request: &PeerRequest| match request.path.as_str() {
        "/.well-known/agent.json" => {
            json_answer(200, &json!({ "name": "x", "protocolVersion": "0.3.0", "skills": [] }))
        }
        _ => json_answer(404, &json!("Nothing")),
    };
    let (registry, peer) = (TestRegistry::start().await, Peer::start(broken).await);
    let id = id_of(&registry.publish(&json!({ "url": peer.url("/") })).await);
    let status = registry.probed_status(&id).await;
    assert_eq!((&status["lane"], &status["kind"]), (&json!("needs_fix"), &json!("agent")), "{status}");
    assert_eq!(status["probe"]["target"], json!(peer.url("/.well-known/agent.json")), "{status}");
    let by_url = registry.get(&format!("/api/listings/status?id={}", peer.url("/"))).await.body;
    assert_eq!(by_url["listing_id"], json!(id), "{by_url}");
    peer.answer_with(|request| match request.path.as_str() {
        "/" | "/.well-known/agent.json" => json_answer(404, &json!("Nothing")),
        _ => agents::newest(request),
    });
    registry.advance(HOUR);
    registry.publish(&json!({ "url": peer.url("/") })).await;
    registry.deliver_to_live(&id).await;
}

#[tokio::test]
async fn server_json_goes_live_under_its_name() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let body = server_json("org.example/adder", &peer.url("/mcp"));
    let body = with_members(body, &json!({ "title": "The Adder" }));
    let answer = registry.publish(&body).await;
    assert_members(&answer, &json!({ "status": "queued", "lane": "queued" }));
    let id = id_of(&answer);
    let queued = json!({ "lane": "queued", "/next/action": "poll", "/probe": null, "reasons": [] });
    assert_members(&registry.status(&id).await, &queued);
    assert_eq!(registry.deliver_events().await[0]["detail"]["listing_id"], answer["listing_id"]);
    let status = registry.status(&id).await;
    // The published title stays.
    let live = json!({ "lane": "active", "listing_id": "mcp-org-example-adder", "name": "The Adder" });
    assert_members(&status, &live);
    let kinds: Vec<Value> = registry.events().iter().map(|event| event["detail-type"].clone()).collect();
    assert_eq!(kinds, ["listing.live"]);
    for name in ["org.example/adder", "the  ADDER"] {
        let found = registry.get(&format!("/api/listings/status?name={}", name.replace(' ', "%20"))).await;
        assert_eq!((found.status, &found.body["listing_id"]), (200, &status["listing_id"]), "{name}");
    }
}

/// The published kind is only a hint until the listing is Live, so a stranger who publishes a URL with the wrong kind does
/// not block its owner.
#[tokio::test]
async fn probe_corrects_the_kind_of_a_listing_that_is_not_live() {
    let registry = TestRegistry::start().await;
    let (server, agent) = (Peer::start(servers::modern).await, Peer::start(agents::newest).await);
    let wrong = registry.publish(&json!({ "agent_card_url": server.url("/mcp") })).await;
    let id = id_of(&wrong);
    registry.deliver_events().await;
    let found = registry.status(&id).await;
    assert_eq!((&found["lane"], &found["kind"]), (&json!("active"), &json!("mcp")), "{found}");
    let right = registry.publish(&json!({ "mcp_url": server.url("/mcp") })).await;
    assert_eq!(right["listing_id"], wrong["listing_id"]);

    let wrong = registry.publish(&json!({ "mcp_url": agent.card() })).await;
    registry.deliver_events().await;
    let found = registry.status(&id_of(&wrong)).await;
    assert_eq!((&found["lane"], &found["kind"]), (&json!("active"), &json!("agent")), "{found}");
}

/// The kind of a Live listing is proven, so a failing agent gets no MCP requests.
#[tokio::test]
async fn live_agent_gets_no_mcp_requests() {
    let (registry, peer, id) = live_agent().await;
    registry.advance_to(recheck_at(&registry, &id).await);
    peer.forget_requests();
    peer.answer_with(agents::only(404));
    registry.recheck().await;
    let names = peer.request_names();
    assert!(!names.iter().any(|name| name.contains("initialize")), "{names:?}");
    assert_eq!(registry.status(&id).await["kind"], "agent");
}
