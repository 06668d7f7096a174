//! Tests `/api/listings/active` and `/api/catalog` (the whole catalog, for other registries): for any page size, the pages
//! together contain each row once, in a fixed order. Also tests the contents of a row.

use registry::model::Random;
use tests::fixtures::insert_live_listings;
use tests::prelude::*;

use crate::fixtures::{live_agent, live_fleet, refused_queries, texts, values_of};

/// Reads all pages and returns their ids. Pages use the `limits` in turn.
async fn walk(registry: &TestRegistry, query: &str, limits: &[u64]) -> Vec<String> {
    let (mut ids, mut cursor) = (Vec::new(), String::new());
    for page in 0..200 {
        let limit = limits[page % limits.len()];
        let reply = registry.get(&format!("/api/listings/active?limit={limit}{query}{cursor}")).await.ok();
        for kind in ["agents", "mcps"] {
            let rows = reply[kind].as_array().unwrap();
            assert!(rows.len() as u64 <= limit, "a page exceeds its limit");
            ids.extend(rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()));
        }
        match reply["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return ids,
        }
    }
    panic!("the pages do not end");
}

#[tokio::test]
async fn pages_of_any_size_show_every_listing_exactly_once() {
    let registry = TestRegistry::start().await;
    let agents = texts(insert_live_listings(&registry.app, Kind::Agent, 23).await);
    let mcps = texts(insert_live_listings(&registry.app, Kind::Mcp, 14).await);
    let all = [agents.as_slice(), &mcps].concat();
    let random = Random::seeded(11);
    for (query, expected) in [("", all), ("&kind=agent", agents), ("&kind=mcp", mcps)] {
        for cycle in 0..14 {
            let limits: Vec<u64> = (0..=cycle % 5).map(|_| 1 + random.below(12)).collect();
            let mut shown = walk(&registry, query, &limits).await;
            shown.sort_unstable();
            assert_eq!(shown, expected, "{query} {limits:?}");
        }
    }
}

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
    assert_eq!(registry.get("/api/listings/active?detail=some").await.status, 422);
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
async fn error_contains_the_invalid_query_argument() {
    let refused = refused_queries(&[
        "/api/listings/active?limit=0",
        "/api/listings/active?limit=101",
        "/api/listings/active?limit=-1",
        "/api/listings/active?limit=many",
        "/api/listings/active?limit=99999999999999999999",
        "/api/listings/active?kind=robot",
        "/api/listings/active?cursor=abc",
    ])
    .await;
    insta::assert_snapshot!(refused);
}

#[tokio::test]
async fn peer_can_copy_the_whole_catalog() {
    let (registry, _peers, [agents, servers]) = live_fleet(7, 4).await;
    let mut copied = Vec::new();
    for page in registry.pages("/api/catalog?limit=3", "/next_cursor").await {
        let counts = json!({ "agents_active": 7, "mcp_active": 4, "as_of": registry.now() });
        let (role, origin) = ("sub-registry", registry.url(""));
        assert_members(&page, &json!({ "counts": counts, "role": role, "origin": origin }));
        for kind in ["agents", "mcp"] {
            copied.extend(values_of(&page[kind], "listing_id"));
        }
    }
    copied.sort_unstable();
    assert_eq!(copied, texts(agents.into_iter().chain(servers)));
    for wrong in ["limit=0", "limit=x", "cursor=nonsense"] {
        assert_eq!(registry.get(&format!("/api/catalog?{wrong}")).await.status, 422, "{wrong}");
    }
}
