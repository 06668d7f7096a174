//! Tests `/list`: its filters (words, kind, category), its hints, and that it is up to date.

use tests::prelude::*;

use crate::fixtures::{LivePair, live_pair, texts};

fn rows(page: &str) -> Vec<&str> {
    page.split("href=\"/list/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[tokio::test]
async fn words_and_categories_find_live_listings() {
    let LivePair { registry, agent, server, .. } = live_pair().await;
    registry.index().await;
    let row = registry.get("/api/listings/active").await.body["agents"][0].clone();
    let category = format!("category={}", row["category_id"].as_str().unwrap());
    for (query, ids, text) in [
        ("q=weather+forecast&kind=all&category=", vec![&agent], "Why: <bdi>mentions “weather”"),
        ("q=weather+forecast&kind=mcp", vec![], "count-all\">1<"),
        ("q=weather+forecast&kind=mcp", vec![], "count-agent\">1<"),
        ("q=weather+forecast&kind=mcp", vec![], "count-mcp\">0<"),
        ("kind=mcp", vec![&server], ""),
        ("", vec![&server, &agent], "2 Live listings, newest first."),
        ("q=wether", vec![&agent], "Showing results for “weather” instead of “wether”: 1 found"),
        (&category, vec![&agent], "1 found, last changed first."),
        ("q=zzzzqqq", vec![], "Nothing found"),
        ("q=zzzzqqq", vec![], "noindex"),
    ] {
        let page = registry.text(&format!("/list?{query}")).await;
        let mut found = rows(&page);
        found.sort_unstable();
        assert_eq!(found, texts(ids.iter().copied().cloned()), "{query}");
        assert_contains(&page, &[text]);
        assert_eq!(page.contains("Why: "), query.starts_with("q=") && !ids.is_empty(), "{query}: {page}");
    }
    for words in ["weather", "add+numbers", "forecast+calls", "tools"] {
        let page = registry.text(&format!("/list?q={words}")).await;
        assert_contains(&page, &[&format!("count-all\">{}<", rows(&page).len())]);
    }
}

#[tokio::test]
async fn empty_board_has_a_hint_and_unchanged_board_returns_304() {
    let registry = TestRegistry::start().await;
    assert_contains(&registry.text("/list").await, &["Nothing is Live now", "/for-agents"]);
    let tag = registry.get("/list").await.header("etag").to_owned();
    assert_eq!(registry.get_with("/list", ("if-none-match", &tag)).await.status, 304);
    let peer = Peer::start(agents::newest).await;
    registry.live_card(&peer.card()).await;
    let changed = registry.get_with("/list", ("if-none-match", &tag)).await;
    assert_eq!((changed.status, rows(changed.body.as_str().unwrap()).len()), (200, 1));
}
