//! Plain REST: methods, headers, and what every query refuses.

use std::fmt::Write as _;

use http::header;
use serde_json::json;
use tests::test_registry::{Reply, TestOptions, TestRegistry};

#[tokio::test]
async fn queries_that_cannot_be_taken() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let mut told = String::new();
    for (path, status) in [
        ("/api/listings/status", 422),
        ("/api/listings/status?id=agtpub_00000000000000000000", 404),
        ("/api/listings/status?id=%27%20OR%201=1", 404),
        ("/api/listings/status?id=", 404),
        ("/api/listings/status?name=Nobody", 404),
        ("/api/listings/active?limit=0", 422),
        ("/api/listings/active?limit=101", 422),
        ("/api/listings/active?limit=-1", 422),
        ("/api/listings/active?limit=many", 422),
        ("/api/listings/active?limit=99999999999999999999", 422),
        ("/api/listings/active?kind=robot", 422),
        ("/api/listings/active?cursor=abc", 422),
        ("/api/feed?limit=0", 422),
        ("/api/feed?cursor=%00", 422),
        ("/api/score?url=", 422),
        ("/api/score?url=http%3A%2F%2F127.0.0.1%2F", 422),
        ("/api/score?url=https%3A%2F%2F169.254.169.254%2F", 422),
        ("/badge/gold", 404),
        ("/badge/clean.svg?id=agtpub_00000000000000000000", 404),
        ("/badge/clean.svg?id=..%2F..%2Fetc", 404),
        ("/no/such/path", 404),
    ] {
        let reply = registry.get(path).await;
        assert_eq!(reply.status, status, "{path}: {reply:?}");
        reply.assert_problem();
        assert!(status != 422 || reply.body["field"].is_string(), "{path}: no field in {reply:?}");
        let next =
            reply.body["next"]["action"].as_str().map(|next| format!(" -> {next}")).unwrap_or_default();
        let _ = writeln!(told, "{path}\n  {}{next}", reply.refusal());
    }
    insta::assert_snapshot!(told, @"
    /api/listings/status
      422 which_listing `id`: Say which listing: its `id` (the listing_id that publish answered) or its `name`.
    /api/listings/status?id=agtpub_00000000000000000000
      404 listing_not_found `-`: No listing `agtpub_00000000000000000000` is known here. -> publish
    /api/listings/status?id=%27%20OR%201=1
      404 listing_not_found `-`: No listing `' OR 1=1` is known here. -> publish
    /api/listings/status?id=
      404 listing_not_found `-`: No listing `` is known here. -> publish
    /api/listings/status?name=Nobody
      404 listing_not_found `-`: No listing `Nobody` is known here. -> publish
    /api/listings/active?limit=0
      422 out_of_range `limit`: `limit` must be a whole number from 1 to 100.
    /api/listings/active?limit=101
      422 out_of_range `limit`: `limit` must be a whole number from 1 to 100.
    /api/listings/active?limit=-1
      422 invalid_argument `limit`: `limit`: it must be a whole number, written in digits and not too large.
    /api/listings/active?limit=many
      422 invalid_argument `limit`: `limit`: it must be a whole number, written in digits and not too large.
    /api/listings/active?limit=99999999999999999999
      422 invalid_argument `limit`: `limit`: it must be a whole number, written in digits and not too large.
    /api/listings/active?kind=robot
      422 invalid_argument `kind`: `kind`: unknown variant `robot`, expected one of `agent`, `mcp`, `all`.
    /api/listings/active?cursor=abc
      422 bad_cursor `cursor`: `cursor` must be the next_cursor of an earlier page; leave it out for the first page.
    /api/feed?limit=0
      422 out_of_range `limit`: `limit` must be a whole number from 1 to 100.
    /api/feed?cursor=%00
      422 bad_cursor `cursor`: `cursor` must be the next_cursor of an earlier page; leave it out for the first page.
    /api/score?url=
      422 not_a_url `url`: `url`: This is not an absolute URL. Give one like https://agents.example.org/.well-known/agent-card.json.
    /api/score?url=http%3A%2F%2F127.0.0.1%2F
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    /api/score?url=https%3A%2F%2F169.254.169.254%2F
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    /badge/gold
      404 no_such_badge `-`: There is no such badge. The badges are mcp, agent, listed, clean, verified, live.
    /badge/clean.svg?id=agtpub_00000000000000000000
      404 listing_not_found `-`: No listing `agtpub_00000000000000000000` is known here. -> publish
    /badge/clean.svg?id=..%2F..%2Fetc
      404 listing_not_found `-`: No listing `../../etc` is known here. -> publish
    /no/such/path
      404 no_such_path `-`: Nothing stands at `/no/such/path`. -> discover
    ");
}

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
async fn the_registry_answers_any_origin_and_compresses_what_is_long() {
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
