//! Tests plain REST: methods, headers and errors that are the same for all queries, and bodies with the media type of a
//! form. `tests/browser` tests the form itself, with and without scripts.

use tests::prelude::*;

use crate::fixtures::refused_queries;

#[tokio::test]
async fn refusal_of_a_read_names_the_field_the_rule_and_the_next_step() {
    let paths = "
        /no/such/path /badge/gold /skills/nothing.md /skills/list-yourself /skills/.md
        /api/score /api/score?url=https://a.example.org&url=https://b.example.org
        /api/listings/status?name=a&name=b
        /api/listings/active?limit=0 /api/listings/active?limit=101 /api/listings/active?limit=-1
        /api/listings/active?limit=many /api/listings/active?limit=99999999999999999999
        /api/listings/active?limit=1&limit=2 /api/listings/active?kind=robot /api/listings/active?cursor=abc
        /api/listings/active?detail=some
        /api/catalog?limit=0 /api/catalog?limit=x /api/catalog?cursor=nonsense
        /agents/search?limit=0 /agents/search?limit=999999999999 /agents/search?offset=9999999
        /.well-known/agent-descriptions?page=elsewhere /list?category=nonsense
        /sitemap.xml?part=0 /sitemap.xml?part=2 /sitemap.xml?part=18446744073709551615 /sitemap.xml?part=-1
        /log/proof /log/proof?index=3 /prove?id=nonsense /prove?id=agtpub_00000000000000000000
    ";
    insta::assert_snapshot!(refused_queries(&paths.split_whitespace().collect::<Vec<_>>()).await);
}

#[tokio::test]
async fn rate_limited_request_costs_no_table_call() {
    let options = TestOptions::public().with_requests_at_once(5);
    for options in [options.clone(), options.without_events()] {
        let registry = TestRegistry::start_with(options).await;
        for _ in 0..5 {
            assert_eq!(registry.get("/api/feed").await.status, 200);
        }
        // A caller cannot change its address with a header.
        let get = registry.get_with("/api/feed", ("x-forwarded-for", "203.0.113.9"));
        let (refused, calls) = registry.counted(get).await;
        refused.assert_refused(429, "rate_limited");
        let (wait, id) = (refused.header("retry-after"), refused.header("x-request-id"));
        assert_eq!((wait, id.len(), calls.total()), ("1", 32, 0));
        assert_eq!(registry.get("/discovery.json").await.status, 200, "each function has its own limit");
        registry.advance(std::time::Duration::from_secs(1));
        assert_eq!(registry.get("/api/feed").await.status, 200, "accepted after the time in `retry-after`");
    }
}

/// curl sends a body as a form unless its caller names a media type.
#[tokio::test]
async fn json_without_its_media_type_is_read_as_json() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let post = async |body: &str| registry.send("POST", "/api/publish", &headers, body).await;
    let listed = post(&format!("{{\"url\": \"{}\"}}", peer.card())).await;
    assert_eq!((listed.status, &listed.body["status"]), (200, &json!("queued")), "{listed:?}");
    for body in ["{\"url\": \"nonsense\"}", "url=nonsense"] {
        let refused = post(body).await;
        refused.assert_problem();
        assert_eq!(refused.status, 422, "{refused:?}");
    }
}
