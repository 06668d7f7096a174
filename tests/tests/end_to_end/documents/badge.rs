//! `/badge/<name>`: images about the registry and about one listing.

use crate::fixtures::refused_queries;

#[tokio::test]
async fn an_unknown_badge_or_listing_is_not_found() {
    let refused = refused_queries(&[
        "/badge/gold",
        "/badge/clean.svg?id=agtpub_00000000000000000000",
        "/badge/clean.svg?id=..%2F..%2Fetc",
    ])
    .await;
    insta::assert_snapshot!(refused, @"
    /badge/gold
      404 no_such_badge `-`: There is no such badge. The badges are mcp, agent, listed, clean, verified, live.
    /badge/clean.svg?id=agtpub_00000000000000000000
      404 listing_not_found `-`: No listing `agtpub_00000000000000000000` is known here. -> publish
    /badge/clean.svg?id=..%2F..%2Fetc
      404 listing_not_found `-`: No listing `../../etc` is known here. -> publish
    ");
}
