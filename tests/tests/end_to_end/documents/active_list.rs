//! `/api/listings/active`, by pages: each row once whatever the limits, in a fixed order, with everything a reader needs.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use registry::model::Kind;
use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::{HOUR, TestRegistry, stock, told};

/// All ids of one walk through the pages; a limit of each page in turn.
async fn walk(registry: &TestRegistry, query: &str, limits: &[u32]) -> Vec<String> {
    let (mut ids, mut cursor) = (Vec::new(), String::new());
    for page in 0..200 {
        let limit = limits[page % limits.len()];
        let reply = registry.get(&format!("/api/listings/active?limit={limit}{query}{cursor}")).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        for kind in ["agents", "mcps"] {
            let rows = reply.body[kind].as_array().unwrap();
            assert!(rows.len() <= limit as usize, "a page keeps its limit");
            ids.extend(rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()));
        }
        match reply.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return ids,
        }
    }
    panic!("the pages do not end");
}

#[test]
fn pages_of_any_size_show_every_listing_exactly_once() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (agents, mcps) = (23, 14);
    let (registry, all) = runtime.block_on(async {
        let registry = TestRegistry::start().await;
        let mut all = stock::live(&registry.app, Kind::Agent, agents).await;
        all.extend(stock::live(&registry.app, Kind::Mcp, mcps).await);
        (registry, all.into_iter().map(|id| id.to_string()).collect::<BTreeSet<_>>())
    });
    let mut runner = TestRunner::new(ProptestConfig::with_cases(40));
    let limits = prop::collection::vec(1_u32..=12, 1..6);
    let kinds =
        prop::sample::select(vec![("", "agtpub_ mcp-"), ("&kind=agent", "agtpub_"), ("&kind=mcp", "mcp-")]);
    runner
        .run(&(limits, kinds), |(limits, (query, prefixes))| {
            let shown = runtime.block_on(walk(&registry, query, &limits));
            let wanted: BTreeSet<String> = all
                .iter()
                .filter(|id| prefixes.split(' ').any(|prefix| id.starts_with(prefix)))
                .cloned()
                .collect();
            prop_assert_eq!(shown.len(), wanted.len(), "a row is shown twice or not at all");
            prop_assert_eq!(shown.into_iter().collect::<BTreeSet<_>>(), wanted);
            Ok(())
        })
        .unwrap();
}

/// The newest come first, and what goes Live while somebody pages is not missed by the next reader.
#[tokio::test]
async fn the_newest_come_first() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    let mut published = Vec::new();
    for folder in 0..5 {
        registry.advance(HOUR);
        published.push(registry.live_card(&peer.url(&format!("/{folder}/card.json"))).await.to_string());
    }
    published.reverse();
    assert_eq!(walk(&registry, "", &[2]).await, published);
    assert_eq!(walk(&registry, "", &[50]).await, published);
}

#[tokio::test]
async fn without_parameters_it_is_the_first_page_of_both_kinds() {
    let registry = TestRegistry::start().await;
    stock::live(&registry.app, Kind::Agent, 60).await;
    stock::live(&registry.app, Kind::Mcp, 3).await;
    let body = registry.get("/api/listings/active").await.body;
    let rows = |kind: &str| body[kind].as_array().unwrap().len();
    assert_eq!((rows("agents"), rows("mcps"), body["next_cursor"].is_string()), (50, 3, true));
}

#[tokio::test]
async fn an_empty_registry_has_an_empty_list() {
    let registry = TestRegistry::start().await;
    let base = registry.url("");
    let body = registry.get("/api/listings/active").await.body;
    insta::assert_snapshot!(told(&body, &[(&base, "[base]")]), @r#"
    {
      "ok": true,
      "origin": "[base]",
      "brand": "Agent and MCP Registry",
      "deal": {
        "name": "founding_free_100",
        "seats": 100,
        "claimed": 0,
        "remaining": 100,
        "percent_off": 100,
        "no_stripe": true,
        "path": [
          "Be Live",
          "Take the demo",
          "Send feedback",
          "Receive an access token"
        ],
        "one_liner": "The first 100 listings to finish demo and feedback receive a full product, free and without checkout.",
        "short": "100 of 100 founding seats left",
        "for_active": "Any Live listing, agent or MCP server; one seat each."
      },
      "announce": "0 agents and 0 MCP servers are Live: each answered a real handshake within 7 days.",
      "funnel_loop": "list -> live -> demo -> feedback -> founding seat, or a discount kept until payments open",
      "stages": [
        {
          "id": "list",
          "label": "List",
          "agent_action": "POST [base]/api/publish {\"url\": \"<card URL>\"}"
        },
        {
          "id": "live",
          "label": "Live",
          "agent_action": "GET [base]/api/listings/status?id=<listing_id> until lane=active"
        },
        {
          "id": "demo",
          "label": "Demo",
          "agent_action": "POST [base]/api/products/demo {\"listing_id\": \"<listing_id>\"}"
        },
        {
          "id": "feedback",
          "label": "Feedback",
          "agent_action": "POST [base]/api/products/feedback with the demo's example_body"
        },
        {
          "id": "discount",
          "label": "Discount",
          "agent_action": "Keep the code that feedback answers once the founding seats are gone."
        },
        {
          "id": "buy",
          "label": "Buy",
          "agent_action": "Wait until payments open, after 250 feedback from agents and 250 from MCP servers."
        }
      ],
      "counts": {
        "agents_active": 0,
        "mcp_active": 0
      },
      "agents": [],
      "mcps": [],
      "next_cursor": null
    }
    "#);
}

#[tokio::test]
async fn a_row_has_everything_to_act_on() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let id = registry.live_card(&peer.card()).await;
    registry.advance(HOUR);
    let mut row = registry.get("/api/listings/active").await.body["agents"][0].clone();
    assert!(row["probe"]["latency_ms"].is_number());
    // The founding offer is the same everywhere, and shown by the empty list.
    let deal = row["take_demo"].as_object_mut().unwrap().remove("deal").unwrap();
    assert_eq!((&deal["seats"], &deal["remaining"]), (&json!(100), &json!(100)));
    let base = registry.url("");
    let names = [(id.as_str(), "[id]"), (base.as_str(), "[base]"), (peer.origin.as_str(), "[peer]")];
    insta::assert_snapshot!(told(&row, &names), @r#"
    {
      "listing_id": "[id]",
      "id": "[id]",
      "kind": "agent",
      "name": "Adder",
      "description": "Adds two numbers and tells their sum.",
      "category_id": "other",
      "category_label": "Other",
      "checks_clean": true,
      "probe": {
        "ok": true,
        "handshake": "ok",
        "score": "[score]",
        "probed_at": "2026-11-20T12:00:01.000Z",
        "target": "[peer]/rpc",
        "latency_ms": "[latency_ms]",
        "age_hours": 1.0
      },
      "talk": {
        "required": true,
        "active": true,
        "mode": "grace",
        "reason": "Onboarding grace until 2026-11-27T12:00:01.000Z: the listing holds while its owner checks in."
      },
      "agent_card_url": "[peer]/.well-known/agent-card.json",
      "website": "https://adder.example.org/docs",
      "protocol_version": "1.0",
      "demoed": false,
      "feedbacked": false,
      "take_demo": {
        "name": "Free demo for Adder",
        "description": "Makes artifacts from this listing's own card and probe evidence; free, no account.",
        "listing_id": "[id]",
        "kind": "agent",
        "sku": "alive",
        "method": "POST",
        "url": "[base]/api/products/demo",
        "headers": {
          "content-type": "application/json",
          "accept": "application/json"
        },
        "body": {
          "listing_id": "[id]",
          "kind": "agent",
          "name": "Adder",
          "sku": "alive",
          "agent_card_url": "[peer]/.well-known/agent-card.json",
          "description": "Adds two numbers and tells their sum."
        },
        "curl": "curl -X POST [base]/api/products/demo -H 'content-type: application/json' -d '{\"listing_id\":\"[id]\"}'",
        "funnel": [
          "active_live",
          "demo",
          "feedback",
          "free_full_or_25pct",
          "use_no_stripe"
        ],
        "next_after_demo": {
          "step": "feedback",
          "method": "POST",
          "url": "[base]/api/products/feedback",
          "note": "Send next_steps.example_body of the demo's answer, with your own answers in it."
        }
      },
      "take_demo_get": "[base]/api/products/demo?listing_id=[id]",
      "deal": {
        "founding_free_seats": 100,
        "message": "100 of 100 founding seats left. Take the demo, then send feedback.",
        "take_demo_url": "[base]/api/products/demo",
        "take_demo_body": {
          "listing_id": "[id]",
          "kind": "agent",
          "name": "Adder",
          "sku": "alive",
          "agent_card_url": "[peer]/.well-known/agent-card.json",
          "description": "Adds two numbers and tells their sum."
        },
        "curl": "curl -X POST [base]/api/products/demo -H 'content-type: application/json' -d '{\"listing_id\":\"[id]\"}'"
      },
      "activation": {
        "stage": "live",
        "next": "Take the free demo: send take_demo as it stands."
      },
      "next": "Take the free demo: send take_demo as it stands."
    }
    "#);
}

#[tokio::test]
async fn talk_grace_ends_after_seven_days_and_takes_nothing_off() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    registry.live_card(&peer.card()).await;
    let talk =
        async || -> Value { registry.get("/api/listings/active").await.body["agents"][0]["talk"].clone() };
    assert_eq!((&talk().await["mode"], &talk().await["active"]), (&json!("grace"), &json!(true)));
    registry.advance(HOUR * (24 * 7));
    let after = talk().await;
    assert_eq!(
        (&after["required"], &after["active"], &after["mode"]),
        (&json!(true), &json!(false), &json!("lapsed"))
    );
    assert_eq!(registry.live_counts().await, (1, 0));
}
