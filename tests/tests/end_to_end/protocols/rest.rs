//! Plain REST: methods, headers, and what every query refuses.

use http::header;
use serde_json::json;
use tests::test_registry::{Reply, TestOptions, TestRegistry};

use crate::fixtures::refused_queries;

#[tokio::test]
async fn an_argument_that_is_missing_or_given_twice_is_named() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    for (path, field) in [
        ("/api/score", "url"),
        ("/api/score?url=https://a.example.org&url=https://b.example.org", "url"),
        ("/api/listings/active?limit=1&limit=2", "limit"),
        ("/api/listings/status?name=a&name=b", "name"),
    ] {
        let reply = registry.get(path).await;
        reply.assert_problem();
        assert_eq!((reply.status, &reply.body["field"]), (422, &json!(field)), "{path}: {reply:?}");
    }
}

#[tokio::test]
async fn every_answer_allows_any_origin_and_has_its_headers() {
    let registry = TestRegistry::start().await;
    let reply = registry.get_with("/api/listings/active", ("origin", "https://page.example.org")).await;
    assert_eq!(reply.header(header::ACCESS_CONTROL_ALLOW_ORIGIN.as_str()), "*");
    for path in
        ["/api/listings/active", "/api/feed", "/api/probes", "/discovery.json", "/badge/live", "/nothing"]
    {
        let reply = registry.get(path).await;
        assert_eq!(reply.header("x-request-id").len(), 32, "{path}");
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
    }
}

#[tokio::test]
async fn wrong_methods_say_which_are_right() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let reply = registry.get("/api/publish").await;
    assert_eq!((reply.status, reply.header("allow")), (405, "POST"), "{reply:?}");
    reply.assert_problem();
    for path in ["/api/listings/active", "/api/listings/status", "/api/feed", "/api/score", "/discovery.json"]
    {
        let reply: Reply = registry.post(path, &json!({})).await;
        assert_eq!((reply.status, reply.header("allow")), (405, "GET,HEAD"), "{path}: {reply:?}");
        reply.assert_problem();
    }
}

#[tokio::test]
async fn an_unknown_path_is_told_where_to_discover() {
    insta::assert_snapshot!(refused_queries(&["/no/such/path"]).await, @"
    /no/such/path
      404 no_such_path `-`: Nothing stands at `/no/such/path`. -> discover
    ");
}

#[tokio::test]
async fn a_caller_who_asks_too_often_is_refused_before_the_table_is_asked() {
    let options = TestOptions::public().without_read_cache().with_setting("CALLER_REQUESTS_AT_ONCE", 5);
    for options in [options.clone(), options.as_events()] {
        let registry = TestRegistry::start_with(options).await;
        for _ in 0..5 {
            assert_eq!(registry.get("/api/feed").await.status, 200);
        }
        let before = registry.observer.tally.snapshot();
        // What a caller says of himself makes nobody else of him.
        let refused = registry.get_with("/api/feed", ("x-forwarded-for", "203.0.113.9")).await;
        assert_eq!((refused.status, &refused.body["code"]), (429, &json!("rate_limited")), "{refused:?}");
        refused.assert_problem();
        assert_eq!((refused.header("retry-after"), refused.header("x-request-id").len()), ("1", 32));
        assert_eq!(registry.observer.tally.since(&before).total(), 0);
        assert_eq!(registry.get("/discovery.json").await.status, 200, "each function counts for itself");
        registry.advance(std::time::Duration::from_secs(1));
        assert_eq!(registry.get("/api/feed").await.status, 200, "after the wait it was told");
    }
}
