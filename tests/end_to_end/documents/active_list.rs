//! Tests the rows and arguments of `/api/listings/active`, and `/api/catalog` (the whole catalog, for other registries).

use tests::fixtures::insert_live_listings;
use tests::prelude::*;

use crate::fixtures::{live_agent, live_pair};

#[tokio::test]
async fn caller_chooses_a_part_of_the_list() {
    let registry = TestRegistry::start().await;
    insert_live_listings(&registry.app, Kind::Agent, 3).await;
    registry.settle();
    let short = registry.get("/api/listings/active?detail=short").await.body;
    let rows = short["agents"].as_array().unwrap();
    assert!(rows.len() == 3 && short.get("deal").is_none() && short["counts"].is_object(), "{short}");
    for row in rows {
        assert!(row.get("take_demo").is_none() && row["probe"]["handshake"].is_string(), "{row}");
        assert!(row.to_string().len() < 700, "{row}");
    }
}

#[tokio::test]
async fn row_describes_the_listing_and_its_last_probe() {
    let (registry, peer, id) = live_agent().await;
    registry.advance(HOUR);
    let reply = registry.get("/api/listings/active").await;
    let row = Reply { body: reply.body["agents"][0].clone(), ..reply };
    assert!(row.body["probe"]["latency_ms"].is_number());
    let base = registry.url("");
    let names = [(id.as_str(), "[id]"), (base.as_str(), "[base]"), (peer.origin.as_str(), "[peer]")];
    insta::assert_snapshot!(row.without(&["take_demo", "deal"]).snapshot(&names));
}

#[tokio::test]
async fn catalog_for_peers_states_its_role_and_counts() {
    let registry = live_pair().await.registry;
    let counts = json!({ "agents_active": 1, "mcp_active": 1, "as_of": registry.now() });
    let expected = json!({ "counts": counts, "role": "sub-registry", "origin": registry.url("") });
    registry.get("/api/catalog?limit=3").await.assert_body(200, &expected);
}
