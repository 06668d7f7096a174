//! Tests rules for all documents: they agree with each other, contain no contact addresses, and their links work.

use tests::test_registry::TestRegistry;

/// Otherwise a caller could bypass the cache with random parameters.
#[tokio::test]
async fn requests_with_unknown_query_parameters_share_the_cached_page() {
    let registry = TestRegistry::start().await;
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
