//! Tests `search_active`: the Live listings of both kinds together, newest first.

use std::collections::BTreeSet;
use std::time::Duration;

use registry::model::{Kind, ListingId};
use serde_json::{Value, json};
use tests::fixtures;
use tests::peers::{Peer, agents, servers};
use tests::test_registry::TestRegistry;

fn ids(answer: &Value) -> Vec<String> {
    let listings = answer["listings"].as_array().unwrap().iter();
    listings.map(|listing| listing["listing_id"].as_str().unwrap().to_owned()).collect()
}

/// Reads all pages and returns their ids.
async fn walk(registry: &TestRegistry, kind: &str, limit: usize) -> Vec<String> {
    let (mut shown, mut cursor) = (Vec::new(), Value::Null);
    for _ in 0..100 {
        let arguments = json!({ "kind": kind, "limit": limit, "cursor": cursor });
        let page = registry.call_tool("search_active", &arguments).await;
        assert!(ids(&page).len() <= limit, "a page exceeds its limit: {page}");
        shown.extend(ids(&page));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            return shown;
        }
    }
    panic!("the pages do not end");
}

#[tokio::test]
async fn agents_and_servers_are_in_one_list_with_the_newest_first() {
    let registry = TestRegistry::start().await;
    let (fleet, server) = (Peer::start(agents::fleet).await, Peer::start(servers::modern).await);
    let mut published = Vec::new();
    for number in 0..3 {
        published.push(registry.live_card(&fleet.url(&format!("/{number}/card.json"))).await.to_string());
        let id = registry.publish_mcp(&server.url(&format!("/{number}/mcp"))).await;
        registry.advance(Duration::from_secs(1));
        registry.first_probe(&id).await;
        published.push(id.to_string());
    }
    published.reverse();
    let answer = registry.call_tool("search_active", &json!({})).await;
    assert_eq!(ids(&answer), published);
    assert_eq!(answer["counts"], json!({ "agents_active": 3, "mcp_active": 3 }));
    assert_eq!(answer["next_cursor"], Value::Null);
}

/// A registry with thirteen Live agents and eight MCP servers, and their ids.
async fn with_live_listings() -> (TestRegistry, BTreeSet<String>, BTreeSet<String>) {
    let registry = TestRegistry::start().await;
    let agents = fixtures::insert_live_listings(&registry.app, Kind::Agent, 13).await;
    let servers = fixtures::insert_live_listings(&registry.app, Kind::Mcp, 8).await;
    let texts = |ids: Vec<ListingId>| ids.into_iter().map(|id| id.to_string()).collect();
    (registry, texts(agents), texts(servers))
}

async fn assert_pages_show_each_once(registry: &TestRegistry, kind: &str, expected: &BTreeSet<String>) {
    for limit in [1, 3, 5, 100] {
        let shown = walk(registry, kind, limit).await;
        assert_eq!(shown.len(), expected.len(), "{kind} by {limit}: a row is repeated or missing");
        assert_eq!(shown.into_iter().collect::<BTreeSet<_>>(), *expected, "{kind} by {limit}");
    }
}

#[tokio::test]
async fn pages_of_one_kind_show_every_listing_exactly_once() {
    let (registry, agents, servers) = with_live_listings().await;
    assert_pages_show_each_once(&registry, "agent", &agents).await;
    assert_pages_show_each_once(&registry, "mcp", &servers).await;
}

#[tokio::test]
async fn pages_of_both_kinds_show_every_listing_exactly_once() {
    let (registry, agents, servers) = with_live_listings().await;
    let all = agents.union(&servers).cloned().collect();
    assert_pages_show_each_once(&registry, "all", &all).await;
}

#[tokio::test]
async fn only_live_listings_are_listed() {
    let registry = TestRegistry::start().await;
    let (queued, broken) = (Peer::start(agents::newest).await, Peer::start(agents::only(404)).await);
    registry.publish_card(&broken.card()).await;
    registry.deliver_events().await;
    registry.publish_card(&queued.card()).await;
    let answer = registry.call_tool("search_active", &json!({})).await;
    assert_eq!((&answer["ok"], &answer["listings"]), (&json!(true), &json!([])), "{answer}");
    assert_eq!(answer["counts"], json!({ "agents_active": 0, "mcp_active": 0 }));
}
