//! Tests plain REST: methods, headers and errors that are the same for all queries, and bodies with the media type of a
//! form. `tests/browser` tests the form itself, with and without scripts.

use tests::prelude::*;

use crate::fixtures::refused_queries;

#[tokio::test]
async fn error_contains_the_missing_or_duplicate_query_argument() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    for (path, field) in [
        ("/api/score", "url"),
        ("/api/score?url=https://a.example.org&url=https://b.example.org", "url"),
        ("/api/listings/active?limit=1&limit=2", "limit"),
        ("/api/listings/status?name=a&name=b", "name"),
    ] {
        registry.get(path).await.assert_invalid(field);
    }
}

#[tokio::test]
async fn unknown_path_returns_404_with_the_discovery_link() {
    insta::assert_snapshot!(refused_queries(&["/no/such/path"]).await, @"
    /no/such/path
      404 no_such_path `-`: Not found: `/no/such/path`. The map of this registry is `/discovery.json`. -> discover
    ");
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
