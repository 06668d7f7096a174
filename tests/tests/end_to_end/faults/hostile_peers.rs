//! What strangers do and serve that they should not: bodies that cannot be read, floods of requests, hostile peers.
//! A sweep over them ends in time, with the good ones Live and nobody's private network touched.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::peers::hostile::Harm;
use tests::peers::{Peer, agents, servers};
use tests::world::{Reply, Wish, World};

/// Remotes inside a valid description are addresses of strangers too.
#[tokio::test]
async fn a_remote_in_a_description_is_not_a_way_around_the_rules() {
    let world = World::with(Wish::public()).await;
    for url in [
        "https://10.0.0.1/mcp",
        "https://169.254.169.254/",
        "https://metadata.google.internal/",
        "https://adder.example.org:22/",
    ] {
        let body = json!({ "name": "org.example/adder", "description": "Adds.", "version": "1.0.0",
            "remotes": [{ "type": "streamable-http", "url": url }] });
        let reply = world.post("/api/publish", &body).await;
        if reply.status == 200 {
            let id = tests::world::id_of(&reply.body);
            world.deliver().await;
            assert_eq!(world.reasons(&id).await, ["url_refused"], "{url}");
            assert_eq!(world.status(&id).await["evidence"]["signals"], json!(["not_asked"]), "{url}");
        } else {
            assert_eq!(
                (reply.status, &reply.body["field"]),
                (422, &json!("remotes[0].url")),
                "{url}: {reply:?}"
            );
        }
    }
}

/// What it is, its content type, the body, and the status and code of the answer.
type Unreadable = (&'static str, Option<&'static str>, Vec<u8>, (u16, &'static str));

#[tokio::test]
async fn bodies_that_cannot_be_read() {
    let world = World::with(Wish::public()).await;
    let json = Some("application/json");
    let padded = |size: usize| format!("{{\"url\":\"https://a.example.org/\"}}{}", " ".repeat(size - 32));
    let table: [Unreadable; 14] = [
        ("empty", json, vec![], (400, "malformed")),
        ("cut", json, b"{\"url\": \"https://a.exam".to_vec(), (400, "malformed")),
        ("two documents", json, b"{} {}".to_vec(), (400, "malformed")),
        ("not UTF-8", json, b"{\"url\": \"\xff\xfe\"}".to_vec(), (400, "malformed")),
        ("binary", json, vec![0x1f, 0x8b, 0, 1, 2, 3], (400, "malformed")),
        ("a page", json, b"<html>".to_vec(), (400, "malformed")),
        ("a hundred thousand arrays", json, vec![b'['; 100_000], (400, "malformed")),
        ("deep objects", json, "{\"a\":".repeat(10_000).into_bytes(), (400, "malformed")),
        (
            "a form",
            Some("application/x-www-form-urlencoded"),
            b"url=https://a.example.org/".to_vec(),
            (415, "not_json"),
        ),
        ("text", Some("text/plain"), b"{}".to_vec(), (415, "not_json")),
        ("no type", None, b"{}".to_vec(), (415, "not_json")),
        ("a byte over 256 KiB", json, padded(256 * 1024 + 1).into_bytes(), (413, "too_large")),
        ("one megabyte of zeros", json, vec![b'0'; 1 << 20], (413, "too_large")),
        ("a number without end", json, vec![b'9'; 200_000], (400, "malformed")),
    ];
    for (what, kind, body, (status, code)) in table {
        let began = Instant::now();
        let reply = world.post_raw("/api/publish", kind, body).await;
        assert_eq!((reply.status, &reply.body["code"]), (status, &json!(code)), "{what}: {reply:?}");
        reply.assert_problem();
        assert!(began.elapsed() < Duration::from_secs(10), "{what} took {:?}", began.elapsed());
    }
    for kind in ["application/json; charset=utf-8", "Application/JSON", "application/vnd.mcp+json"] {
        let reply = world.post_raw("/api/publish", Some(kind), r#"{"url": "https://a.example.org/"}"#).await;
        assert_eq!(reply.status, 200, "{kind}: {reply:?}");
    }
    assert_eq!(
        world.post_raw("/api/publish", json, padded(256 * 1024)).await.status,
        200,
        "256 KiB to the byte"
    );
}

#[tokio::test]
async fn wrong_methods_say_which_are_right() {
    let world = World::with(Wish::public()).await;
    let reply = world.get("/api/publish").await;
    assert_eq!((reply.status, reply.header("allow")), (405, "POST"), "{reply:?}");
    reply.assert_problem();
    for path in ["/api/listings/active", "/api/listings/status", "/api/feed", "/api/score", "/discovery.json"]
    {
        let reply: Reply = world.post(path, &json!({})).await;
        assert_eq!((reply.status, reply.header("allow")), (405, "GET,HEAD"), "{path}: {reply:?}");
        reply.assert_problem();
    }
}

#[tokio::test]
async fn rates_are_counted_by_caller_host_and_everybody() {
    let table = [
        ("PUBLISH_PER_HOUR", "caller", "from your address"),
        ("PUBLISH_PER_HOST_PER_HOUR", "host", "for this host"),
        ("PUBLISH_PER_HOUR_IN_ALL", "everybody", "for everybody together"),
    ];
    for (setting, whose, words) in table {
        let world = World::with(Wish::public().and(setting, 3)).await;
        let body =
            |number: usize| json!({ "url": format!("https://agent.example.org/{number}/agent-card.json") });
        for number in 0..3 {
            world.publish(&body(number)).await;
            assert_eq!(
                world.post("/api/publish", &json!({ "url": "http://x" })).await.status,
                422,
                "not counted"
            );
        }
        let before = world.table().await;
        let reply = world.post("/api/publish", &body(3)).await;
        assert_eq!(
            (reply.status, &reply.body["code"], &reply.body["allowance"]),
            (429, &json!("rate_limited"), &json!(whose)),
            "{setting}: {reply:?}"
        );
        reply.assert_problem();
        assert!(
            reply.body["detail"].as_str().is_some_and(|detail| detail.contains(words)),
            "{setting}: {reply:?}"
        );
        assert_eq!(reply.header("retry-after"), "3600", "{setting}: it is noon to the second");
        assert_eq!(
            before.difference(&world.table().await),
            [""; 0],
            "{setting}: a refusal counts for nobody"
        );
        world.advance(Duration::from_secs(3600));
        world.publish(&body(3)).await;
    }
    let other_host = World::with(Wish::public().and("PUBLISH_PER_HOST_PER_HOUR", 1)).await;
    for host in ["a", "b", "c"] {
        other_host.publish(&json!({ "url": format!("https://{host}.example.org/") })).await;
    }
}

/// Every kind of harm at once, among peers that are sound.
#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_over_hostile_peers_ends_in_time_and_the_good_ones_go_live() {
    let world = World::start().await;
    let mut hostile = Vec::new();
    for harm in Harm::ALL {
        hostile.push((harm, world.publish_card(&harm.start().await).await));
    }
    let (fleet, server) = (Peer::start(agents::fleet).await, Peer::start(servers::legacy).await);
    let mut good = vec![world.publish_mcp(&server.url("/mcp")).await];
    for folder in 0..5 {
        good.push(world.publish_card(&fleet.url(&format!("/{folder}/card.json"))).await);
    }
    let began = Instant::now();
    let report = world.tick().await;
    let took = began.elapsed();
    // 2.5 s for all preflights side by side, 10 s for all probes, and room for a busy machine.
    assert!(took < Duration::from_secs(25), "the sweep took {took:?}");
    assert_eq!(report["claimed"], json!(hostile.len() + good.len()), "{report}");
    for id in &good {
        assert_eq!(world.lane(id).await, "active");
    }
    assert_eq!(world.counts().await, (5, 1));
    let mut told = String::new();
    for (harm, id) in &hostile {
        let status = world.status(id).await;
        assert_ne!(status["lane"], "active", "{harm:?}: {status}");
        assert!(status["reasons"][0]["fix"].is_string(), "{harm:?}: {status}");
        assert!(status.to_string().len() < 8000, "{harm:?} got its flood into the status");
        let _ = writeln!(
            told,
            "{harm:?}: {} {}",
            status["lane"].as_str().unwrap_or_default(),
            world.reasons(id).await.join(" ")
        );
    }
    insta::assert_snapshot!(told, @"
    SilentAtOnce: queued preflight_timeout
    SilentInHeaders: queued preflight_timeout
    SilentInBody: queued preflight_timeout
    Drip: queued preflight_timeout
    HangsUp: queued conn_lost
    Noise: queued conn_lost
    Endless: needs_fix card_too_large
    Huge: needs_fix card_too_large
    Deep: needs_fix not_a_card
    GzipBomb: needs_fix card_too_large
    RedirectToPrivate: needs_fix url_refused
    RedirectToMetadata: needs_fix url_refused
    RedirectLoop: needs_fix redirected
    CardToMetadata: needs_fix interface_url interface_not_https
    CardToPrivate: needs_fix interface_url interface_not_https
    SilentInterface: queued timeout interface_local
    EndlessInterface: needs_fix answer_too_large interface_local
    DeepInterface: needs_fix not_a2a interface_local
    ");
}
