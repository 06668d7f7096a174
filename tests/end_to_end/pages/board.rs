//! Tests `/list`: it shows every Live listing once, has filters (words, kind, category), and stays small and up to date.

use registry::model::Kind;
use tests::fixtures;
use tests::peers::{Peer, agents};
use tests::test_registry::TestRegistry;

use crate::fixtures::{live_fleet, live_pair, texts};

async fn page(registry: &TestRegistry, path: &str) -> String {
    registry.get(path).await.ok().as_str().unwrap().to_owned()
}

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
    let first = page(&registry, "/list").await;
    assert_eq!(rows(&first).len(), 50, "the first response does not contain the rows");
    assert!(first.len() < 100_000, "{} bytes", first.len());

    let (mut shown_ids, mut next_path) = (Vec::new(), Some("/list?".to_owned()));
    while let Some(path) = next_path {
        let shown = page(&registry, &path).await;
        shown_ids.extend(rows(&shown).into_iter().map(str::to_owned));
        next_path = next(&shown);
    }
    shown_ids.sort_unstable();
    assert_eq!(shown_ids, texts(all));
    assert!(rows(&page(&registry, "/list?kind=mcp").await).iter().all(|id| id.starts_with("mcp-")));
}

#[tokio::test]
async fn words_and_categories_find_live_listings() {
    let pair = live_pair().await;
    pair.registry.index().await;
    let found = |path: &'static str| {
        let registry = &pair.registry;
        async move { rows(&page(registry, path).await).into_iter().map(str::to_owned).collect::<Vec<_>>() }
    };
    assert_eq!(found("/list?q=weather+forecast&kind=all&category=").await, [pair.agent.to_string()]);
    assert_eq!(found("/list?q=weather&kind=mcp").await, [""; 0]);
    assert_eq!(found("/list?kind=mcp").await, [pair.server.to_string()]);
    let of_search = page(&pair.registry, "/list?q=weather+forecast&kind=mcp").await;
    for count in ["count-all\">1<", "count-agent\">1<", "count-mcp\">0<"] {
        assert!(of_search.contains(count), "{count}: {of_search}");
    }
    for words in ["weather", "add+numbers", "forecast+calls", "tools"] {
        let found = page(&pair.registry, &format!("/list?q={words}")).await;
        let count = format!("count-all\">{}<", rows(&found).len());
        assert!(found.contains(&count), "{words}, {count}: {found}");
    }
    let why = page(&pair.registry, "/list?q=weather+forecast").await;
    assert!(why.contains("Why: <bdi>mentions “weather”"), "{why}");
    assert!(!page(&pair.registry, "/list").await.contains("Why: "), "without words there is no reason");
    let both = page(&pair.registry, "/list").await;
    assert!(both.contains("2 Live listings, newest first."), "{both}");
    let misspelt = page(&pair.registry, "/list?q=wether").await;
    assert!(misspelt.contains("Showing results for “weather” instead of “wether”: 1 found"), "{misspelt}");
    let category = pair.registry.get("/api/listings/active").await.body["agents"][0]["category_id"].clone();
    let filed = page(&pair.registry, &format!("/list?category={}", category.as_str().unwrap())).await;
    assert!(rows(&filed).contains(&pair.agent.as_str()), "{filed}");
    let none = page(&pair.registry, "/list?q=zzzzqqq").await;
    assert!(none.contains("Nothing found") && none.contains("noindex"), "{none}");
    assert_eq!(pair.registry.get("/list?category=nonsense").await.status, 422);
}

#[tokio::test]
async fn paged_search_repeats_no_listing() {
    let (registry, _peers, [_, servers]) = live_fleet(0, 55).await;
    registry.index().await;
    let rows_of_server = registry.get("/api/listings/active?kind=mcp&limit=1").await.body["mcps"].clone();
    let category = rows_of_server[0]["category_id"].as_str().unwrap().to_owned();
    let first = page(&registry, &format!("/list?kind=mcp&category={category}")).await;
    assert!(first.contains("55 found, last changed first."), "{first}");
    let second = page(&registry, &next(&first).unwrap()).await;
    assert_eq!((rows(&first).len(), rows(&second).len(), next(&second)), (50, 5, None));
    let mut all: Vec<String> =
        [rows(&first), rows(&second)].concat().into_iter().map(str::to_owned).collect();
    all.sort_unstable();
    assert_eq!(all, texts(servers));
}

#[tokio::test]
async fn empty_board_has_a_hint_and_unchanged_board_returns_304() {
    let registry = TestRegistry::start().await;
    let empty = page(&registry, "/list").await;
    assert!(empty.contains("Nothing is Live now") && empty.contains("/for-agents"), "{empty}");
    let tag = registry.get("/list").await.header("etag").to_owned();
    assert_eq!(registry.get_with("/list", ("if-none-match", &tag)).await.status, 304);
    let peer = Peer::start(agents::newest).await;
    registry.live_card(&peer.card()).await;
    let changed = registry.get_with("/list", ("if-none-match", &tag)).await;
    assert_eq!((changed.status, rows(changed.body.as_str().unwrap()).len()), (200, 1));
}
