//! Tests `check_status`: the state of a listing, with the evidence of its last probe.

use serde_json::json;
use tests::peers::{Peer, agents};
use tests::test_registry::{HOUR, TestRegistry};

use crate::fixtures::refused_queries;

#[tokio::test]
async fn status_requires_id_or_name_of_a_known_listing() {
    let refused = refused_queries(&[
        "/api/listings/status",
        "/api/listings/status?id=agtpub_00000000000000000000",
        "/api/listings/status?id=%27%20OR%201=1",
        "/api/listings/status?id=",
        "/api/listings/status?name=Nobody",
    ])
    .await;
    insta::assert_snapshot!(refused, @"
    /api/listings/status
      422 which_listing `id`: Send `id` (from the answer of list_yourself) or `name` (the name of the listing).
    /api/listings/status?id=agtpub_00000000000000000000
      404 listing_not_found `-`: Listing not found: `agtpub_00000000000000000000`. -> publish
    /api/listings/status?id=%27%20OR%201=1
      404 listing_not_found `-`: Listing not found: `' OR 1=1`. -> publish
    /api/listings/status?id=
      404 listing_not_found `-`: Listing not found: ``. -> publish
    /api/listings/status?name=Nobody
      404 listing_not_found `-`: Listing not found: `Nobody`. -> publish
    ");
}

/// Whoever takes the name of another agent later does not answer for it.
#[tokio::test]
async fn name_means_the_listing_that_has_been_live_for_longest() {
    let (registry, first) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let older = registry.live_card(&first.card()).await;
    registry.advance(HOUR);
    let second = Peer::start(agents::newest).await;
    let newer = registry.live_card(&second.card()).await;
    assert_ne!(older, newer);
    // A reader may also send a name, or the URL of the card or the endpoint, as an id.
    for path in [
        "/api/listings/status?name=adder".to_owned(),
        "/api/products/reciprocity?name=Adder".to_owned(),
        "/api/listings/status?id=Adder".to_owned(),
        "/api/probe-clean?listing_id=Adder".to_owned(),
        format!("/api/listings/status?id={}", first.card()),
    ] {
        assert_eq!(registry.get(&path).await.body["listing_id"], json!(older), "{path}");
    }
}
