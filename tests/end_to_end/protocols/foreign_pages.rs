//! Tests that a page of another site cannot act with the address of a visitor. It walks the whole catalogue: only the GETs
//! that the contract demands change something, and these are refused if a foreign page caused them.

use registry::features::CATALOGUE;
use tests::prelude::*;

use super::all_protocols::{example, query};
use crate::fixtures::live_pair;

const FOREIGN: [(&str, &str); 3] = [
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-site", "same-site"),
    ("origin", "https://evil.example.org"),
];
const FORM: &str = "application/x-www-form-urlencoded";

fn code(reply: &Reply) -> (u16, &str) {
    (reply.status, reply.body["code"].as_str().unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn get_requests_of_foreign_pages_change_nothing() {
    let pair = live_pair().await;
    let registry = &pair.registry;
    let mut acting = Vec::new();
    for entry in CATALOGUE {
        for route in entry.routes.iter().filter(|route| !route.is_post()) {
            let path = format!("{}?{}", route.path, query(&example(&pair, entry)));
            if !route.acts {
                // The first read of a day stores the connector of that day, as the hourly job does.
                registry.get(&path).await;
            }
            let before = registry.table().await;
            pair.peers.iter().for_each(Peer::forget_requests);
            for header in FOREIGN {
                let reply = registry.send("GET", &path, &[header], "").await;
                let is_refused = reply.status == 403;
                // This registry is on loopback: `score` would read servers of the visitor's machine.
                assert_eq!(is_refused, route.acts || entry.name == "score", "{path} {header:?}: {reply:?}");
            }
            assert_eq!(before.difference(&registry.table().await), [""; 0], "{path}");
            let reply = registry.send("GET", &path, &[("sec-fetch-site", "none")], "").await;
            assert_ne!(reply.status, 403, "{path}: {reply:?}");
            let changed = before.difference(&registry.table().await);
            // A score stores its report.
            let is_report = |change: &String| entry.name == "score" && change.starts_with("+ SCORED#");
            assert!(route.acts || changed.iter().all(is_report), "{path} changed {changed:?}");
            let is_quiet = pair.peers.iter().all(|peer| peer.request_names().is_empty());
            assert!(is_quiet || entry.effect.open_world, "{path} sent a request");
            if route.acts {
                acting.push((entry.name, route.path));
            }
        }
    }
    acting.sort_unstable();
    assert_eq!(acting, [("take_demo", "/api/products/demo"), ("talk_inbox", "/api/talk")]);
}

#[tokio::test]
async fn forms_of_foreign_pages_publish_nothing() {
    for options in [
        TestOptions::default(),
        TestOptions::default().with_setting("BASE_URL", "https://registry.example.com"),
    ] {
        let registry = TestRegistry::start_with(options).await;
        let before = registry.table().await;
        for kind in [FORM, "multipart/form-data; boundary=x", "text/plain"] {
            for header in
                [("sec-fetch-site", "cross-site"), ("origin", "null"), ("origin", "https://evil.example.org")]
            {
                let headers = [("content-type", kind), header];
                let url = "url=http%3A%2F%2F127.0.0.1%3A1%2F";
                let reply = registry.send("POST", "/api/publish", &headers, url).await;
                assert_eq!(reply.status, 403, "{kind} {header:?}: {reply:?}");
            }
        }
        assert_eq!(before.difference(&registry.table().await), [""; 0]);
        let origin = registry.url("");
        let own = [
            ("content-type", FORM),
            ("sec-fetch-site", "same-origin"),
            ("origin", origin.trim_end_matches('/')),
        ];
        let reply = registry.send("POST", "/api/publish", &own, "url=nonsense").await;
        assert_eq!(reply.status, 422, "{reply:?}");
    }
}

/// A page could drive a registry on the visitor's machine, also by DNS rebinding.
#[tokio::test]
async fn foreign_names_are_refused_on_loopback_by_every_route_that_acts() {
    let pair = live_pair().await;
    let registry = &pair.registry;
    let score = "/api/score?url=http%3A%2F%2F127.0.0.1%3A1%2F";
    let demo = format!("/api/products/demo?listing_id={}", pair.agent);
    for path in [score, &demo] {
        let reply = registry.send("GET", path, &[("host", "evil.example.org")], "").await;
        assert_eq!(code(&reply), (403, "foreign_host"), "{path}");
        let reply = registry.send("GET", path, &[("origin", "https://evil.example.org")], "").await;
        assert_eq!(code(&reply), (403, "foreign_origin"), "{path}");
    }
    let body = json!({}).to_string();
    let posts = CATALOGUE.iter().flat_map(|entry| entry.routes).filter(|route| route.is_post());
    let others = ["/api/a2a", "/message:send", "/api/protocol", "/mcp", "/api/ard/search"];
    for path in posts.map(|route| route.path).chain(others) {
        for (name, value, refusal) in [
            ("host", "evil.example.org", "foreign_host"),
            ("origin", "https://evil.example.org", "foreign_origin"),
            ("origin", "null", "foreign_origin"),
        ] {
            let headers = [("content-type", "application/json"), (name, value)];
            assert_eq!(code(&registry.send("POST", path, &headers, &body).await), (403, refusal), "{path}");
        }
        let near = [("content-type", "application/json"), ("origin", "http://localhost:6274")];
        assert_ne!(registry.send("POST", path, &near, &body).await.status, 403, "{path}");
    }
}

#[tokio::test]
async fn pages_may_use_the_json_api_of_a_public_registry() {
    let registry = TestRegistry::start_with_setting("BASE_URL", "https://registry.example.com").await;
    let page =
        [("origin", "https://app.example.org"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "cors")];
    let json_page = [&page[..], &[("content-type", "application/json")]].concat();
    let body = json!({ "url": "http://127.0.0.1:1/" }).to_string();
    let reply = registry.send("POST", "/api/publish", &json_page, &body).await;
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, "*"), "{reply:?}");
    for path in ["/api/match?q=adder", "/api/listings/active", "/api/score?url=http%3A%2F%2F127.0.0.1%3A1%2F"]
    {
        let reply = registry.send("GET", path, &page, "").await;
        assert_eq!((reply.status, &reply.body["ok"]), (200, &Value::Bool(true)), "{path}: {reply:?}");
    }
}
