//! `/badge/<name>`: images about the registry and about one listing.

use tests::test_registry::TestRegistry;

use crate::fixtures::refused_queries;

#[tokio::test]
async fn an_unknown_badge_is_not_found() {
    let refused = refused_queries(&["/badge/gold"]).await;
    insta::assert_snapshot!(refused, @"
    /badge/gold
      404 no_such_badge `-`: There is no such badge. The badges are mcp, agent, listed, clean, verified, live.
    ");
}

/// Where a badge is shown nothing else can be.
#[tokio::test]
async fn the_badge_of_an_unknown_listing_is_an_image_that_says_so() {
    let registry = TestRegistry::start().await;
    for path in ["/badge/clean.svg?id=agtpub_00000000000000000000", "/badge/live?id=..%2F..%2Fetc"] {
        let badge = registry.get(path).await;
        assert_eq!(
            (badge.status, badge.header("content-type")),
            (404, "image/svg+xml; charset=utf-8"),
            "{path}"
        );
        assert_eq!(badge.header("cache-control"), "public, max-age=60");
        assert!(badge.body.as_str().unwrap().contains(": unknown</title>"), "{badge:?}");
    }
}
