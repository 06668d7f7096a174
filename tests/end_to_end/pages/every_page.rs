//! Tests rules for all pages. Each page has a complete head. Its content security policy allows only files of the registry.
//! Its assets load. Every text of a listing is shown as plain text; a test writes such texts directly to the table, because
//! readers must be protected even if the checks for published texts fail.

use std::time::Duration;

use registry::model::Lane;
use registry::pages::ASSETS;
use tests::fixtures::{feed_item, submitted_listing};
use tests::prelude::*;

use crate::fixtures::{all_documents, live_pair};

const BROWSER: (&str, &str) = ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");

fn text(reply: &Reply) -> &str {
    reply.body.as_str().unwrap()
}

/// The values of an attribute, in page order.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let prefix = format!(" {name}=\"");
    page.split(&prefix).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[tokio::test]
async fn every_page_has_one_head_and_loads_only_own_files() {
    let pair = live_pair().await;
    let documents = all_documents(&pair).await;
    let pages = documents.iter().filter(|(page, _)| page.media_type.starts_with("text/html"));
    for (_, path) in pages {
        let page = pair.registry.get_with(path, BROWSER).await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
        let html = text(&page);
        assert!(html.starts_with("<!doctype html>\n<html lang=\"en\">"), "{path}");
        for part in
            ["<h1", "name=\"viewport\"", "name=\"color-scheme\"", "<main id=\"content\"", "class=\"skip\""]
        {
            assert_eq!(html.matches(part).count(), 1, "{path}: {part}");
        }
        // Only the head: SVG drawings have `<title>` elements too.
        assert_eq!(html.split("<body>").next().unwrap().matches("<title>").count(), 1, "{path}");
        let csp = page.header("content-security-policy");
        assert!(csp.starts_with("default-src 'none'; style-src 'self'; script-src 'self';"), "{path}: {csp}");
        assert!(!csp.contains("unsafe") && csp.contains("frame-ancestors 'none'"), "{path}: {csp}");
        // The policy blocks these, so they would fail only in the reader's browser.
        for forbidden in [" style=\"", "<style", " onclick=", "javascript:", "<iframe"] {
            assert!(!html.contains(forbidden), "{path}: {forbidden}");
        }
        assert_eq!(html.matches("<script").count(), 1, "{path}: not exactly one script file");
        for loaded in attributes(html, "src") {
            assert!(loaded.starts_with('/'), "{path} loads {loaded}");
        }
    }
}

#[tokio::test]
async fn assets_are_hashed_and_cached_for_a_year() {
    let registry = TestRegistry::start().await;
    let home = registry.get("/").await;
    for asset in ASSETS {
        let path = asset.paths[0];
        assert!(text(&home).contains(&format!("\"{path}\"")), "{path}");
        let reply = registry.get(path).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, asset.media_type));
        assert_eq!(reply.header("cache-control"), "public, max-age=31536000");
    }
    assert_eq!(registry.get("/assets/style-0000000000000000.css").await.status, 404);
    let icon = registry.get("/favicon.ico").await;
    assert_eq!((icon.status, icon.header("content-type")), (200, "image/svg+xml; charset=utf-8"));
}

#[tokio::test]
async fn root_path_returns_the_discovery_map_to_machines_and_html_to_browsers() {
    let registry = TestRegistry::start().await;
    let links = |reply: &Reply| reply.header("link").matches("rel=").count();
    let map = registry.get_with("/", ("accept", "application/problem+json, application/json;q=0.9")).await;
    assert_eq!((map.status, map.body["base_url"].as_str()), (200, Some(registry.url("").as_str())));
    for accept in [BROWSER.1, "*/*", "application/json, */*", "text/plain"] {
        let accept = ("accept", accept);
        let page = registry.get_with("/", accept).await;
        assert_eq!((page.status, page.header("vary")), (200, "accept, accept-encoding, origin"), "{page:?}");
        assert_eq!(links(&page), links(&map), "the page and the map do not link to the same documents");
        assert!(page.header("link").contains("describedby"), "{:?}", page.headers);
    }
}

/// The page contains times in seconds, so a page that is rendered again is another page.
#[tokio::test]
async fn home_page_is_reused_for_ten_seconds_unless_a_listing_goes_live() {
    let registry = TestRegistry::start().await;
    let tag = async || registry.get_with("/", BROWSER).await.header("etag").to_owned();
    let first = tag().await;
    registry.advance(Duration::from_secs(9));
    assert_eq!(tag().await, first);
    registry.advance(Duration::from_secs(1));
    let later = tag().await;
    assert_ne!(later, first);
    let peer = Peer::start(agents::newest).await;
    registry.live_card(&peer.card()).await;
    assert_ne!(tag().await, later);
}

#[tokio::test]
async fn problems_are_html_for_browsers_and_json_for_machines() {
    let registry = TestRegistry::start().await;
    for (path, status) in [
        ("/no/such/path", 404),
        ("/list?kind=robot", 422),
        ("/list?cursor=x", 422),
        ("/list?q=x&cursor=y", 422),
        ("/list?q=x&cursor=18446744073709551615", 422),
    ] {
        let page = registry.get_with(path, BROWSER).await;
        assert_eq!(page.status, status, "{path}");
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
        assert!(text(&page).contains("<h1>") && text(&page).contains("noindex"), "{path}");
        assert!(!page.header("x-request-id").is_empty());
        assert!(page.header("content-security-policy").contains("'none'"));
        let document = registry.get(path).await;
        assert_eq!((document.status, document.header("content-type")), (status, "application/problem+json"));
        assert_eq!(document.header("vary"), "accept");
    }
    let unknown = registry.get_with("/list/agent-nobody", BROWSER).await;
    let texts = ["Listing not found: <bdi><code>agent-nobody</code></bdi>", "<h1>Not found</h1>"];
    assert_contains(text(&unknown), &texts);
    let echoed = registry.get_with("/%3Cscript%3Ealert(1)%3C/script%3E", BROWSER).await;
    assert!(!text(&echoed).contains("<script>"), "{echoed:?}");
}

const MARKUP: &str =
    "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><b onclick=x>bold</b> {{7*7}} {% x %}";
/// Direction overrides and isolates without an end, then right-to-left letters.
const BIDI: &str = "\u{202e}\u{202e}gnp.exe\u{2066}\u{2067} \u{5d0}\u{5d1}";

#[tokio::test]
async fn hostile_texts_are_shown_as_plain_text() {
    let registry = TestRegistry::start().await;
    let long = "W".repeat(10_000);
    let texts = [MARKUP, BIDI, &long, "javascript:alert(1)"];
    for (number, text) in texts.iter().enumerate() {
        let (submission, mut listing) = submitted_listing(&registry.app, Kind::Agent, number);
        let at = registry.now();
        (listing.lane, listing.proof.live_since, listing.proof.last_ok_at) =
            (Lane::Active, Some(at), Some(at));
        listing.texts.name = (*text).to_owned();
        listing.texts.description = Some((*text).to_owned());
        listing.proof.era = Some((*text).to_owned());
        listing.texts.website = Some("javascript:alert(1)".to_owned());
        let news = feed_item("listing_live", &listing, at);
        registry.app.store.insert(&listing, None, &submission.contact, &news, None).await.unwrap();
    }
    registry.index().await;
    for path in ["/", "/list", "/list?q=bold", "/list?q=%3Cscript%3Ealert(3)%3C/script%3E&category=other"] {
        let reply = registry.get(path).await;
        let html = reply.body.as_str().unwrap();
        assert_eq!(reply.status, 200);
        for markup in ["<script>alert", "<img", "<b onclick", "href=\"javascript:", " onerror=alert(2)>"] {
            assert!(!html.contains(markup), "{path}: {markup}");
        }
        assert!(html.len() < 20_000, "{path}: {} bytes", html.len());
        // Characters that change the text direction are replaced.
        assert!(!html.contains(['\u{202e}', '\u{2066}', '\u{2067}']), "{path}");
    }
    let shown = registry.get("/list").await;
    let html = shown.body.as_str().unwrap();
    assert_eq!(html.matches("href=\"/list/").count(), texts.len());
    assert!(html.contains("&#60;script&#62;alert(1)"), "the text is not shown escaped");
    assert!(html.contains("\u{FFFD}gnp.exe") && html.contains('…'), "{html}");
}
