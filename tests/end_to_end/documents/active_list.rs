//! Tests `/api/listings/active`: for any page size, the pages together contain each row once, in a fixed
//! order. Also tests the contents of a row.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use registry::model::Kind;
use tests::fixtures;
use tests::test_registry::{HOUR, Reply, TestRegistry};

use crate::fixtures::{live_agent, refused_queries};

/// Reads all pages and returns their ids. Pages use the `limits` in turn.
async fn walk(registry: &TestRegistry, query: &str, limits: &[u32]) -> Vec<String> {
    let (mut ids, mut cursor) = (Vec::new(), String::new());
    for page in 0..200 {
        let limit = limits[page % limits.len()];
        let reply = registry.get(&format!("/api/listings/active?limit={limit}{query}{cursor}")).await.ok();
        for kind in ["agents", "mcps"] {
            let rows = reply[kind].as_array().unwrap();
            assert!(rows.len() <= limit as usize, "a page exceeds its limit");
            ids.extend(rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()));
        }
        match reply["next_cursor"].as_str() {
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
        let mut all = fixtures::insert_live_listings(&registry.app, Kind::Agent, agents).await;
        all.extend(fixtures::insert_live_listings(&registry.app, Kind::Mcp, mcps).await);
        (registry, all.into_iter().map(|id| id.to_string()).collect::<BTreeSet<_>>())
    });
    let mut runner = TestRunner::new(ProptestConfig::with_cases(40));
    let limits = prop::collection::vec(1_u32..=12, 1..6);
    let kinds =
        prop::sample::select(vec![("", "agtpub_ mcp-"), ("&kind=agent", "agtpub_"), ("&kind=mcp", "mcp-")]);
    runner
        .run(&(limits, kinds), |(limits, (query, prefixes))| {
            let shown = runtime.block_on(walk(&registry, query, &limits));
            let expected: BTreeSet<String> = all
                .iter()
                .filter(|id| prefixes.split(' ').any(|prefix| id.starts_with(prefix)))
                .cloned()
                .collect();
            prop_assert_eq!(shown.len(), expected.len(), "a row is repeated or missing");
            prop_assert_eq!(shown.into_iter().collect::<BTreeSet<_>>(), expected);
            Ok(())
        })
        .unwrap();
}

#[tokio::test]
async fn caller_chooses_a_part_of_the_list() {
    let registry = TestRegistry::start().await;
    fixtures::insert_live_listings(&registry.app, Kind::Agent, 3).await;
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
