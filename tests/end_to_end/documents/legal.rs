//! Tests security.txt and the pages about privacy and terms.

use registry::model::Moment;
use tests::prelude::*;

#[tokio::test]
async fn security_txt_exists_only_with_a_contact_and_expires_within_a_year() {
    let path = "/.well-known/security.txt";
    let without = TestRegistry::start_with_setting("OPERATOR_CONTACT", "").await;
    assert_eq!(without.get(path).await.status, 404);
    for list in ["/llms.txt", "/llms-full.txt", "/discovery.json"] {
        assert!(!without.get(list).await.body.to_string().contains(path), "{list} has a dead link");
    }
    let registry = TestRegistry::start_with_setting("OPERATOR_CONTACT", "mailto:operator@example.org").await;
    let reply = registry.get(path).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/plain; charset=utf-8"));
    let text = reply.body.as_str().unwrap().to_owned();
    let field = |name: &str| {
        text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).collect::<Vec<_>>()
    };
    assert_eq!(field("Contact"), ["mailto:operator@example.org"]);
    assert_eq!(field("Canonical"), [registry.url(path).as_str()]);
    let expires: Moment = field("Expires")[0].parse().unwrap();
    let days = expires.duration_since(registry.now()).as_hours() / 24;
    assert!((170..=365).contains(&days) && field("Expires").len() == 1, "{text}");
}

#[tokio::test]
async fn every_page_links_to_the_pages_about_privacy_and_terms() {
    let options = TestOptions::default()
        .with_setting("OPERATOR_CONTACT", "https://example.org/contact")
        .with_setting("SOURCE_URL", "https://example.org/source");
    let registry = TestRegistry::start_with(options).await;
    for path in ["/", "/about", "/privacy", "/terms", "/list", "/nowhere"] {
        let reply = registry.get_with(path, ("accept", "text/html")).await;
        let page = reply.body.as_str().unwrap();
        for link in ["/about", "/privacy", "/terms", "https://example.org/contact"] {
            assert!(page.contains(&format!("href=\"{link}\"")), "{path} has no {link}");
        }
        assert_eq!(reply.header("referrer-policy"), "same-origin", "{path}");
    }
    let privacy = registry.text("/privacy").await;
    assert_contains(&privacy, &["keyed digest", "180 days", "24 hours", "1 year"]);
    let about = registry.text("/about").await;
    assert_contains(&about, &["What Live means", "not a proxy", "/terms", "/privacy", "/status"]);
    assert_contains(&about, &["https://example.org/contact", "https://example.org/source"]);
    assert_contains(&registry.text("/terms").await, &["at the latest every 7 days", "/api/report"]);
}

#[tokio::test]
async fn pages_name_one_day_if_a_proof_is_valid_for_one_day() {
    let registry = TestRegistry::start_with_setting("RECHECK_DAYS", 1).await;
    for path in ["/", "/about", "/terms", "/list", "/status", "/for-agents"] {
        let page = registry.text(path).await;
        assert!(page.contains("1 day") && !page.contains("1 days"), "{path}");
    }
}
