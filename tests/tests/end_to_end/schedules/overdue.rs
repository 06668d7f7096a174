//! A recheck that stalls: a proof is good for a week, and what is older is shown as Live nowhere, by any reader's clock,
//! until a probe proves it again.

use registry::model::ListingId;
use serde_json::{Value, json};
use tests::peers::{agents, servers};
use tests::test_registry::{DAY, HOUR, TICK, TestRegistry};

use crate::fixtures::{LivePair, forecaster, live_pair};

/// How many rows each door shows.
async fn shown(registry: &TestRegistry) -> Vec<(&'static str, usize)> {
    let mut shown = Vec::new();
    for (path, list) in [
        ("/api/listings/active", "/agents"),
        ("/api/listings/active", "/mcps"),
        ("/api/ard/search?q=weather", "/hits"),
        ("/api/match?q=weather", "/hits"),
        ("/v0.1/servers", "/servers"),
        ("/agents/search?q=weather", "/agents"),
        ("/api/catalog", "/agents"),
    ] {
        let reply = registry.get(path).await;
        let rows = reply.body.pointer(list).and_then(Value::as_array);
        shown.push((path, rows.unwrap_or_else(|| panic!("{path} has no {list}: {reply:?}")).len()));
    }
    let active = registry.call_tool("search_active", &json!({})).await;
    shown.push(("search_active", active["listings"].as_array().unwrap().len()));
    shown
}

async fn said_of(registry: &TestRegistry, id: &ListingId) -> Vec<Value> {
    let status = registry.status(id).await;
    let live = registry.get(&format!("/api/liveness?listing_id={id}")).await.body;
    let clean = registry.get(&format!("/api/probe-clean?listing_id={id}")).await.body;
    let badge = registry.get(&format!("/badge/live.svg?id={id}")).await.body;
    vec![
        status["lane"].clone(),
        live["live"].clone(),
        clean["clean"].clone(),
        json!(badge.as_str().unwrap().contains(">not live<")),
        json!(status.get("take_demo").is_some()),
    ]
}

#[tokio::test]
async fn a_listing_whose_proof_has_run_out_is_live_nowhere_until_it_answers_again() {
    let LivePair { registry, agent, server, peers } = live_pair().await;
    let while_live = shown(&registry).await;
    assert!(while_live.iter().all(|(_, rows)| *rows > 0), "{while_live:?}");

    // Neither tick nor recheck runs for a week and a little.
    registry.advance(DAY * 7 + TICK);
    for (door, rows) in shown(&registry).await {
        assert_eq!(rows, 0, "{door} shows what nobody has proven for a week");
    }
    for id in [&agent, &server] {
        let said = said_of(&registry, id).await;
        assert_eq!(said, [json!("queued"), json!(false), json!(false), json!(true), json!(false)], "{id}");
    }
    let status = registry.status(&agent).await;
    assert_eq!(
        status["lane_reason"],
        "Was Live, but its last proof has run out and its recheck is late; the next good probe makes it Live again."
    );

    // The tick runs again, but the peers are busy: the counts follow, and say as of when.
    peers.iter().for_each(|peer| peer.answer_with(agents::only(503)));
    registry.tick().await;
    let list = registry.get("/api/listings/active").await.body;
    assert_eq!(list["counts"], json!({ "agents_active": 0, "mcp_active": 0, "as_of": registry.now() }));
    let statistics = registry.probe_statistics().await;
    assert_eq!(statistics["live_active_snapshot"]["total"], 0);
    assert_eq!(statistics["live_active_snapshot"]["at"], json!(registry.now()));
    let told = registry.feed_types().await;
    assert_eq!(told.iter().filter(|what| *what == "listing_overdue").count(), 2, "{told:?}");
    let left_out = registry.index().await;
    assert_eq!(left_out["gone"], 2, "{left_out}");

    // Counted again an hour later, they are not told of again.
    registry.advance(HOUR + TICK * 2);
    registry.tick().await;
    let told = registry.feed_types().await;
    assert_eq!(told.iter().filter(|what| *what == "listing_overdue").count(), 2, "{told:?}");

    // The first good probe brings each back, everywhere.
    peers[0].answer_with(forecaster);
    peers[1].answer_with(servers::modern);
    registry.advance(HOUR);
    registry.recheck().await;
    registry.deliver_events().await;
    registry.index().await;
    assert_eq!(shown(&registry).await, while_live);
    assert_eq!(registry.live_counts().await, (1, 1));
    for id in [&agent, &server] {
        let said = said_of(&registry, id).await;
        assert_eq!(said, [json!("active"), json!(true), json!(true), json!(false), json!(true)], "{id}");
    }
}

/// Its owner need not wait: publishing it again has it probed at once, and its words stay.
#[tokio::test]
async fn publishing_again_has_an_overdue_listing_probed_at_once() {
    let LivePair { registry, agent, peers, .. } = live_pair().await;
    registry.advance(DAY * 8);
    let answer = registry.publish(&json!({ "agent_card_url": peers[0].card() })).await;
    assert_eq!((&answer["status"], &answer["listing_id"]), (&json!("queued"), &json!(agent)));
    registry.deliver_events().await;
    assert_eq!(registry.lane(&agent).await, "active");
}
