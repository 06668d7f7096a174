//! Tests that the pages of every list together show each listing exactly once.

use tests::fixtures::insert_live_listings;
use tests::prelude::*;

const AGENTS: usize = 105;

/// The places of the cursor in a page, with the parameter that takes it.
const CURSORS: [(&str, &str); 4] = [
    ("/next_cursor", "cursor"),
    ("/metadata/nextCursor", "cursor"),
    ("/pageToken", "pageToken"),
    ("/next_offset", "offset"),
];

/// The path of the page after `page` of the list at `list`.
fn next_path(registry: &TestRegistry, list: &str, page: &Value) -> Option<String> {
    if let Some(html) = page.as_str() {
        let link = html.split("rel=\"next\" href=\"").nth(1)?;
        return Some(link.split('"').next()?.replace("&#38;", "&"));
    }
    if let Some(path) = page["next"].as_str().and_then(|url| url.strip_prefix(&registry.url(""))) {
        return Some(path.to_owned());
    }
    CURSORS.iter().find_map(|(place, parameter)| match page.pointer(place)? {
        Value::Null => None,
        Value::String(cursor) => Some(format!("{list}&{parameter}={cursor}")),
        offset => Some(format!("{list}&{parameter}={offset}")),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_every_list_show_each_listing_exactly_once() {
    let registry = TestRegistry::start_with(TestOptions::default().delivered_once()).await;
    let agents = insert_live_listings(&registry.app, Kind::Agent, AGENTS).await;
    let servers = insert_live_listings(&registry.app, Kind::Mcp, 14).await;
    registry.app.store.mark_listed_dirty(|_| true, registry.now()).await.unwrap();
    registry.index().await;
    let [agents, servers] =
        [agents, servers].map(|ids| ids.iter().map(|id| format!("{id}\"")).collect::<Vec<_>>());
    let all = [agents.clone(), servers.clone()].concat();
    let card = |number| format!("https://host-{number}.example.org/.well-known/agent-card.json\"");
    let cards: Vec<String> = (0..AGENTS).map(card).collect();
    let row = registry.get("/api/listings/active?limit=1&kind=agent").await.body["agents"][0].clone();
    let of_category = format!("/list?kind=agent&category={}", row["category_id"].as_str().unwrap());
    for (list, expected) in [
        ("/api/listings/active?limit=2", &all),
        ("/api/listings/active?limit=11", &all),
        ("/api/listings/active?limit=8&kind=agent", &agents),
        ("/api/listings/active?limit=1&kind=mcp", &servers),
        ("/api/catalog?limit=10", &all),
        ("/api/ard/agents?pageSize=20", &all),
        ("/agents/public?limit=20", &agents),
        ("/v0.1/servers?limit=4", &servers),
        ("/.well-known/agent-descriptions", &cards),
        ("/list", &all),
        ("/list?kind=mcp", &servers),
        (&of_category, &agents),
    ] {
        let marks = if list.ends_with("descriptions") { &cards } else { &all };
        let (mut shown, mut read, mut next) = (Vec::new(), 0, Some(list.to_owned()));
        while let Some(path) = next {
            assert!(read < 100, "the pages of {list} do not end");
            let page = registry.get(&path).await;
            let text = page.text();
            assert!(!path.starts_with("/list") || text.len() < 100_000, "{path}: {} bytes", text.len());
            shown.extend(marks.iter().filter(|mark| text.contains(mark.as_str())));
            next = next_path(&registry, list, &page.ok());
            read += 1;
        }
        let mut expected: Vec<&String> = expected.iter().collect();
        expected.sort_unstable();
        shown.sort_unstable();
        assert_eq!(shown, expected, "{list}");
    }
    // A search over ARD takes the cursor in its body.
    let (mut shown, mut cursor, mut pages) = (Vec::new(), Value::Null, 0);
    while pages == 0 || !cursor.is_null() {
        let query = json!({ "text": "serves", "filter": { "metadata.kind": "mcp" } });
        let body = json!({ "query": query, "pageSize": 4, "pageToken": cursor });
        let page = registry.post("/api/ard/search", &body).await;
        let text = page.text();
        shown.extend(all.iter().filter(|mark| text.contains(mark.as_str())));
        (cursor, pages) = (page.ok()["pageToken"].clone(), pages + 1);
        assert!(pages < 10, "the pages of the search do not end");
    }
    let mut expected: Vec<&String> = servers.iter().collect();
    expected.sort_unstable();
    shown.sort_unstable();
    assert_eq!(shown, expected);
}
