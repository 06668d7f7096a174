//! Tests `/list`: it shows every Live listing once, has filters (words, kind, category), and stays small and up to date.

use tests::fixtures;
use tests::prelude::*;

use crate::fixtures::{LivePair, live_fleet, live_pair, texts};

fn rows(page: &str) -> Vec<&str> {
    page.split("href=\"/list/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

fn next(page: &str) -> Option<String> {
    let link = page.split("rel=\"next\" href=\"").nth(1)?;
    Some(link.split('"').next().unwrap().replace("&#38;", "&"))
}

#[tokio::test]
async fn pages_show_every_listing_once_and_stay_small() {
    let registry = TestRegistry::start().await;
    let mut all = fixtures::insert_live_listings(&registry.app, Kind::Agent, 70).await;
    all.extend(fixtures::insert_live_listings(&registry.app, Kind::Mcp, 60).await);
    let first = registry.text("/list").await;
    assert_eq!(rows(&first).len(), 50, "the first response does not contain the rows");
    assert!(first.len() < 100_000, "{} bytes", first.len());

    let (mut shown_ids, mut next_path) = (Vec::new(), Some("/list?".to_owned()));
    while let Some(path) = next_path {
        let shown = registry.text(&path).await;
        shown_ids.extend(rows(&shown).into_iter().map(str::to_owned));
        next_path = next(&shown);
    }
    shown_ids.sort_unstable();
    assert_eq!(shown_ids, texts(all));
    assert!(rows(&registry.text("/list?kind=mcp").await).iter().all(|id| id.starts_with("mcp-")));
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
        (&category, vec![&agent], ""),
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
    assert_eq!(registry.get("/list?category=nonsense").await.status, 422);
}

#[tokio::test]
async fn paged_search_repeats_no_listing() {
    let (registry, _peers, [_, servers]) = live_fleet(0, 55).await;
    registry.index().await;
    let rows_of_server = registry.get("/api/listings/active?kind=mcp&limit=1").await.body["mcps"].clone();
    let category = rows_of_server[0]["category_id"].as_str().unwrap().to_owned();
    let first = registry.text(&format!("/list?kind=mcp&category={category}")).await;
    assert_contains(&first, &["55 found, last changed first."]);
    let second = registry.text(&next(&first).unwrap()).await;
    assert_eq!((rows(&first).len(), rows(&second).len(), next(&second)), (50, 5, None));
    let mut all: Vec<String> =
        [rows(&first), rows(&second)].concat().into_iter().map(str::to_owned).collect();
    all.sort_unstable();
    assert_eq!(all, texts(servers));
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
