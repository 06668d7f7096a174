//! Tests that the pages show every text of a listing as plain text. The test writes the texts directly to the
//! table, because readers must be protected even if the checks for published texts fail.

use registry::model::{Kind, Lane};
use tests::fixtures::{feed_item, submitted_listing};
use tests::test_registry::TestRegistry;

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
        (listing.lane, listing.live_since, listing.last_ok_at) = (Lane::Active, Some(at), Some(at));
        listing.name = (*text).to_owned();
        listing.description = Some((*text).to_owned());
        listing.era = Some((*text).to_owned());
        listing.website = Some("javascript:alert(1)".to_owned());
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
