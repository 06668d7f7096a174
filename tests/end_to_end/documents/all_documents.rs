//! Tests rules for all documents: they agree with each other, contain no contact addresses, and their links work.

use registry::discovery::{GUIDES, OPENAPI};
use registry::documents::DOCUMENTS;
use registry::pages::PAGES;
use serde_json::{Value, json};
use tests::test_registry::TestRegistry;

use crate::fixtures::live_pair;

/// Otherwise a caller could bypass the cache with random parameters.
#[tokio::test]
async fn requests_with_unknown_query_parameters_share_the_cached_page() {
    let registry = TestRegistry::start().await;
    for path in ["/api/listings/active", "/api/catalog", "/.well-known/ai-catalog.json", "/list", "/products"]
    {
        let original = registry.get(path).await;
        let cost_of = async |path: &str| {
            let (reply, calls) = registry.counted(registry.get(path)).await;
            assert_eq!(reply.header("etag"), original.header("etag"), "{path}");
            assert_eq!(reply.body, original.body, "{path}");
            calls.total()
        };
        let cached_cost = cost_of(path).await;
        assert_eq!(cost_of(&format!("{path}?utm_source=somewhere")).await, cached_cost, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_small_and_fixed_ones_need_no_table() {
    let pair = live_pair().await;
    let registry = &pair.registry;
    let all = [DOCUMENTS, GUIDES, PAGES].into_iter().flatten().copied().chain([&OPENAPI]);
    let paths = all.filter(|document| document.is_fixed).flat_map(|document| document.paths);
    let mut fixed = 0;
    for path in paths.filter(|path| !path.contains('{')) {
        let tag = registry.get(path).await.header("etag").to_owned();
        let (again, calls) = registry.counted(registry.get_with(path, ("if-none-match", &tag))).await;
        assert_eq!((again.status, calls.total()), (304, 0), "{path}");
        fixed += 1;
    }
    assert!(fixed >= 15, "{fixed}");

    let size = |value: &Value| value.to_string().len();
    let openapi = registry.get("/openapi.json").await.body;
    let map = registry.get("/discovery.json").await.body;
    let active = registry.get("/api/listings/active").await.body;
    let help = json!({ "jsonrpc": "2.0", "id": 1, "method": "help" });
    let help = registry.post("/api/a2a", &help).await.body;
    registry.call_tool("endorse", &json!({ "listing_id": pair.server })).await;
    registry.settle();
    let pack = registry.call_tool("zero_mc_pack", &json!({})).await;
    for (name, value, most) in [
        ("/openapi.json", &openapi, 282_000),
        ("/discovery.json", &map, 51_000),
        ("a row", &active["mcps"][0], 2_900),
        ("help", &help, 20_000),
        ("a listing of zero_mc_pack", &pack["capabilities"][0], 700),
        ("the costs of zero_mc_pack", &pack["cost_model"], 2_500),
    ] {
        assert!(size(value) <= most, "{name}: {}", size(value));
    }
}
