//! Tests `/sitemap.xml`: the pages for search engines.

use std::collections::BTreeSet;

use crate::fixtures::{LivePair, live_pair};

#[tokio::test]
async fn sitemap_has_one_part_with_every_page_and_live_listing() {
    let LivePair { registry, agent, server, .. } = live_pair().await;
    let map = registry.get("/sitemap.xml").await;
    let text = map.body.as_str().unwrap();
    assert!(text.contains("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"), "{text}");
    let found: BTreeSet<String> =
        text.split("<loc>").skip(1).map(|rest| rest.split("</loc>").next().unwrap().to_owned()).collect();
    for path in ["/", "/list", "/for-agents", "/products", "/status", "/network", "/about"] {
        assert!(found.contains(&registry.url(path)), "{path}: {text}");
    }
    for id in [&agent, &server] {
        assert!(found.contains(&registry.url(&format!("/list/{id}"))), "{id}: {text}");
    }
    assert_eq!((text.matches("<lastmod>").count(), found.len()), (2, 9));
    for location in &found {
        let path = location.strip_prefix(&registry.url("")).unwrap();
        let page = registry.get(&format!("/{}", path.trim_start_matches('/'))).await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
    }
    assert_eq!(registry.get("/sitemap.xml?part=1").await.body, map.body);
    for part in ["0", "2", "18446744073709551615"] {
        registry.get(&format!("/sitemap.xml?part={part}")).await.assert_refused(404, "no_such_part");
    }
    assert_eq!(registry.get("/sitemap.xml?part=-1").await.status, 422);
}
