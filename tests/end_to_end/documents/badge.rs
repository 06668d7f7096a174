//! Tests `/badge/<name>`: images for the registry and for one listing.

use tests::test_registry::TestRegistry;

use crate::fixtures::{LivePair, live_pair};

#[tokio::test]
async fn badge_shows_the_state_of_its_listing() {
    let LivePair { registry, agent, server, .. } = live_pair().await;
    for (badge, id, label) in [
        ("clean", &agent, "clean"),
        ("live.svg", &agent, "live"),
        ("verified", &server, "verified handshake"),
        ("mcp", &agent, "not an mcp server"),
    ] {
        let image = registry.get(&format!("/badge/{badge}?id={id}")).await;
        assert!(image.text().contains(&format!(": {label}</title>")), "{badge}: {image:?}");
        assert_eq!(image.header("content-type"), "image/svg+xml; charset=utf-8");
    }
    for badge in ["clean", "verified", "live", "listed", "gated"] {
        let of_nobody = registry.get(&format!("/badge/{badge}")).await;
        assert!(of_nobody.text().contains("#59636e"), "{badge} is not grey: {of_nobody:?}");
    }
}

/// A badge is embedded as an image, so the error has to be an image too.
#[tokio::test]
async fn badge_of_an_unknown_listing_is_an_image() {
    let registry = TestRegistry::start().await;
    for path in ["/badge/clean.svg?id=agtpub_00000000000000000000", "/badge/live?id=..%2F..%2Fetc"] {
        let badge = registry.get(path).await;
        assert_eq!(badge.status, 404, "{path}");
        assert_eq!(badge.header("content-type"), "image/svg+xml; charset=utf-8", "{path}");
        assert_eq!(badge.header("cache-control"), "public, max-age=60");
        assert!(badge.body.as_str().unwrap().contains(": unknown</title>"), "{badge:?}");
    }
}
