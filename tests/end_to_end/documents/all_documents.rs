//! Tests rules for all documents: they agree with each other, contain no contact addresses, and their links work.

use serde_json::json;
use tests::peers::{Peer, agents, servers};
use tests::test_registry::{TestOptions, TestRegistry};

#[tokio::test]
async fn all_documents_agree_on_live_listings() {
    for options in [TestOptions::default(), TestOptions::default().without_events().with_read_cache()] {
        let registry = TestRegistry::start_with(options).await;
        let (agent, server) = (Peer::start(agents::newest).await, Peer::start(servers::legacy).await);
        let (agent_id, server_id) =
            (registry.publish_card(&agent.card()).await, registry.publish_mcp(&server.url("/mcp")).await);
        assert_eq!(registry.live_counts().await, (0, 0));
        registry.deliver_events().await;

        let active = registry.get("/api/listings/active").await.body;
        assert_eq!(active["counts"], json!({ "agents_active": 1, "mcp_active": 1 }));
        for (rows, id, handshake) in [("agents", &agent_id, "ok"), ("mcps", &server_id, "ok")] {
            let row = &active[rows][0];
            assert_eq!((&row["listing_id"], &row["probe"]["handshake"]), (&json!(id), &json!(handshake)));
            assert_eq!(
                (&row["talk"]["mode"], &row["activation"]["stage"]),
                (&json!("grace"), &json!("live"))
            );
        }
        assert_eq!(
            registry.feed_types().await,
            ["listing_live", "listing_live", "listing_queued", "listing_queued"]
        );
        for (badge, id, label) in [
            ("clean", &agent_id, "clean"),
            ("live.svg", &agent_id, "live"),
            ("verified", &server_id, "verified handshake"),
            ("mcp", &agent_id, "not an mcp server"),
        ] {
            let image = registry.get(&format!("/badge/{badge}?id={id}")).await;
            assert!(
                image.body.as_str().unwrap().contains(&format!(": {label}</title>")),
                "{badge}: {image:?}"
            );
            assert_eq!(image.header("content-type"), "image/svg+xml; charset=utf-8");
        }
        let statistics = registry.probe_statistics().await;
        assert_eq!((&statistics["used"], &statistics["outcomes"]["handshake"]["ok"]), (&json!(2), &json!(2)));
        let discovery = registry.get("/discovery.json").await.body;
        assert_eq!(discovery["probes"]["live_active"]["total"], 2);
        assert_eq!(discovery["probes"]["by_kind_today"], json!({ "agents": 1, "mcps": 1 }));
        let next = &registry.status(&agent_id).await["next"];
        assert_eq!(
            (&next["action"], &next["url"]),
            (&json!("take_demo"), &json!(registry.url("/api/products/demo")))
        );
    }
}

/// Otherwise a caller could bypass the cache with random parameters.
#[tokio::test]
async fn requests_with_unknown_query_parameters_share_the_cached_page() {
    let registry = TestRegistry::start_with(TestOptions::default()).await;
    for path in ["/api/listings/active", "/api/catalog", "/.well-known/ai-catalog.json", "/list", "/products"]
    {
        let original = registry.get(path).await;
        let cost_of = async |path: &str| {
            let before = registry.observer.tally.snapshot();
            let reply = registry.get(path).await;
            assert_eq!(
                (reply.header("etag"), &reply.body),
                (original.header("etag"), &original.body),
                "{path}"
            );
            registry.observer.tally.since(&before).total()
        };
        let cached_cost = cost_of(path).await;
        assert_eq!(cost_of(&format!("{path}?utm_source=somewhere")).await, cached_cost, "{path}");
    }
}
