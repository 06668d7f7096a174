//! Tests with peers on loopback. They check which peers the preflight rejects before any budget is spent, and
//! which kind is found for a URL.

pub(super) mod peer;

use std::time::Duration;

use serde_json::{Value, json};

use super::preflight::{PreflightResult, preflight};
use super::{Depth, Subject};
use peer::{Peer, Received, Reply, codes, probe, probe_for};
use registry_fetch::{Fetcher, Target};
use registry_model::{Handshake, Kind, Reach, Verdict};

const CARD: &str = "/.well-known/agent-card.json";

async fn rejected(subject: &Subject) -> Verdict {
    let fetcher = Fetcher::new(Reach::Development, "registry-test", None);
    match preflight(&fetcher, subject).await {
        PreflightResult::Reject(verdict) => verdict,
        PreflightResult::Pass { .. } => panic!("{} passed", subject.url),
    }
}

#[tokio::test]
async fn preflight_reasons_use_the_specified_words() {
    let table = [
        (404, "card fail 404 (no card)", false),
        (403, "card fail 403", false),
        (402, "card fail 402", false),
        (401, "card fail 401", false),
        (503, "card fail 503", true),
        (429, "card fail 429", true),
    ];
    for (status, words, inconclusive) in table {
        let peer = Peer::start(move |_: &Received| Reply::empty(status).with("retry-after", "9")).await;
        let verdict = rejected(&peer.subject(Some(Kind::Agent), CARD)).await;
        assert_eq!((verdict.handshake, verdict.reasons[0].reason.as_str()), (Handshake::Fail, words));
        assert_eq!(verdict.inconclusive, inconclusive, "{status}");
        assert_eq!(verdict.retry_after, Some(Duration::from_secs(9)));
        assert_eq!(verdict.facts.kind, Some(Kind::Agent));
        assert_eq!(verdict.signals, ["preflight_reject"]);
    }
}

#[tokio::test]
async fn handshake_preflight_rejects_closed_ports_and_url_templates() {
    let peer = Peer::start(|_: &Received| Reply::empty(200)).await;
    let dead = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    for kind in [Some(Kind::Agent), Some(Kind::Mcp), None] {
        let url = Target::parse(&format!("http://{dead}/x"), Reach::Development).unwrap();
        let verdict = rejected(&Subject { url, ..peer.subject(kind, "/") }).await;
        assert_eq!(verdict.reasons[0].reason, "preflight reject (connection refused)");
        assert_eq!((verdict.handshake, verdict.inconclusive), (Handshake::Fail, false));

        let verdict = rejected(&peer.subject(kind, "/{tenant}/mcp")).await;
        assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Skip, vec!["template"]));
    }
    assert!(peer.received().is_empty());
}

#[tokio::test]
async fn handshake_preflight_is_inconclusive_if_the_card_does_not_arrive() {
    let peer = Peer::start(|_: &Received| Reply::silence()).await;
    let verdict = rejected(&peer.subject(Some(Kind::Agent), CARD)).await;
    assert_eq!(verdict.reasons[0].reason, "preflight timeout (2500 ms)");
    assert!(verdict.inconclusive && verdict.latency_ms.is_none());
}

#[tokio::test]
async fn handshake_preflight_sends_no_request_to_an_mcp_endpoint() {
    let peer = Peer::start(|_: &Received| Reply::empty(405)).await;
    let fetcher = Fetcher::new(Reach::Development, "registry-test", None);
    let passed = preflight(&fetcher, &peer.subject(Some(Kind::Mcp), "/mcp")).await;
    assert!(matches!(passed, PreflightResult::Pass { card: None }));
    assert!(peer.received().is_empty());
}

/// A peer that answers requests with this verb with a document, and others with 404.
async fn answering(verb: &'static str, document: Value) -> Peer {
    let script = move |asked: &Received| match asked.verb == verb {
        true => Reply::ok(&document),
        false => Reply::empty(404),
    };
    Peer::start(script).await
}

/// An agent whose card is at `at`, and nothing else on its site.
fn agent_at(at: &'static str) -> impl Fn(&Received) -> Reply + Send + Sync + 'static {
    move |asked| match (asked.method(), asked.path == at) {
        (Some("tasks/get"), _) => Reply::error(200, asked, -32001, "Task not found"),
        (None, true) => {
            let url = format!("http://{}/rpc", asked.header("host").unwrap());
            Reply::ok(&json!({
                "name": "A", "description": "A.", "version": "1", "url": url, "protocolVersion": "0.3.0",
                "capabilities": {}, "skills": [],
            }))
        }
        _ => Reply::html(if asked.verb == "GET" { 200 } else { 404 }),
    }
}

fn mcp(asked: &Received) -> Reply {
    match asked.method() {
        Some("initialize") => {
            let info = json!({"name": "m", "version": "1"});
            asked.result(&json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info}))
        }
        Some("tools/list") => asked.result(&json!({"tools": []})),
        Some("notifications/initialized") => Reply::empty(202),
        _ => Reply::empty(404),
    }
}

fn of_unknown_kind(peer: &Peer, path: &str) -> Subject {
    Subject { depth: Depth::Question, ..peer.subject(None, path) }
}

async fn detect(peer: &Peer, path: &str) -> Verdict {
    probe(&of_unknown_kind(peer, path)).await
}

#[tokio::test]
async fn handshake_detect_kind_finds_the_card_of_a_site() {
    let table = [
        ("/", CARD),
        ("/", "/.well-known/agent.json"),
        ("/", "/agent.json"),
        ("/agents/a/", "/agents/a/.well-known/agent-card.json"),
        ("/agents/a", CARD),
        ("/agents/a", "/.well-known/agent.json"),
        ("/my-card", "/my-card"),
        ("/card.json", "/card.json"),
    ];
    for (path, at) in table {
        let peer = Peer::start(agent_at(at)).await;
        let verdict = detect(&peer, path).await;
        assert_eq!(verdict.handshake, Handshake::Ok, "{path} {at}: {:?}", verdict.reasons);
        assert_eq!(verdict.facts.kind, Some(Kind::Agent), "{at}");
        assert_eq!(verdict.facts.card_url, Some(format!("{}{at}", peer.origin)));
    }
}

#[tokio::test]
async fn handshake_detect_kind_finds_the_server_at_the_address() {
    for path in ["/", "/mcp", "/api/protocol"] {
        let verdict = detect(&Peer::start(mcp).await, path).await;
        assert_eq!(verdict.handshake, Handshake::Ok, "{path}: {:?}", verdict.reasons);
        assert_eq!(verdict.facts.kind, Some(Kind::Mcp));
    }
    // The agent of the site is not what somebody meant who names its MCP endpoint.
    let both = |asked: &Received| if asked.path == "/mcp" { mcp(asked) } else { agent_at(CARD)(asked) };
    assert_eq!(detect(&Peer::start(both).await, "/mcp").await.facts.kind, Some(Kind::Mcp));
    // Beside the agent of a site, a URL means what is there, unless the card names it; a bare 401 proves nothing.
    let beside = |asked: &Received| match asked.path.as_str() {
        "/tools" => mcp(asked),
        "/app" if asked.verb == "POST" => Reply::html(401),
        _ => agent_at(CARD)(asked),
    };
    let peer = Peer::start(beside).await;
    for (path, kind) in
        [("/tools", Kind::Mcp), ("/app", Kind::Agent), ("/docs", Kind::Agent), ("/rpc/", Kind::Agent)]
    {
        let verdict = detect(&peer, path).await;
        assert_eq!(outcome(&verdict), (Handshake::Ok, Some(kind)), "{path}: {:?}", verdict.reasons);
    }
    let posts = |asked: &&Received| asked.verb == "POST" && asked.path == "/rpc/";
    assert_eq!(peer.received().iter().filter(posts).count(), 0, "the card names it");
}

fn outcome(verdict: &Verdict) -> (Handshake, Option<Kind>) {
    (verdict.handshake, verdict.facts.kind)
}

#[tokio::test]
async fn handshake_detect_kind_finds_the_server_of_a_site() {
    let of_site = |asked: &Received| {
        if asked.path == "/mcp" {
            mcp(asked)
        } else {
            Reply::html(if asked.verb == "GET" { 200 } else { 404 })
        }
    };
    let assert_found = async |peer: &Peer, status: u16| {
        for kind in [None, Some(Kind::Mcp)] {
            let verdict = probe(&Subject { kind, ..of_unknown_kind(peer, "/") }).await;
            assert_eq!(outcome(&verdict), (Handshake::Ok, Some(Kind::Mcp)), "{status} {kind:?}: {verdict:?}");
            assert_eq!(verdict.facts.endpoint, Some(format!("{}/mcp", peer.origin)));
        }
    };
    let peer = Peer::start(of_site).await;
    assert_found(&peer, 200).await;
    for status in [401, 403, 500, 503] {
        let protected =
            move |asked: &Received| if asked.path == "/mcp" { mcp(asked) } else { Reply::html(status) };
        assert_found(&Peer::start(protected).await, status).await;
        // If nothing is at `/mcp`, the root decides.
        let peer = Peer::start(move |_: &Received| Reply::html(status)).await;
        let verdict = detect(&peer, "/").await;
        let is_failing = status >= 500;
        let code = if is_failing { "http_5xx" } else { "gated_unproven" };
        assert!(codes(&verdict).contains(&code), "{status}: {:?}", verdict.reasons);
        assert_eq!((verdict.inconclusive, verdict.facts.kind), (is_failing, None), "{status}");
        assert!(peer.received().iter().any(|asked| asked.path == "/mcp"), "{status}");
    }
    // A host that asks for patience gets no further request.
    let busy = Peer::start(|_: &Received| Reply::html(429)).await;
    assert!(detect(&busy, "/").await.inconclusive);
    assert!(busy.received().iter().all(|asked| asked.path != "/mcp"));
    let login = |asked: &Received| match asked.path.as_str() {
        "/mcp" => Reply::empty(401).with("www-authenticate", "Bearer realm=\"x\""),
        _ => Reply::html(404),
    };
    let verdict = detect(&Peer::start(login).await, "/").await;
    assert_eq!(outcome(&verdict), (Handshake::Partial, Some(Kind::Mcp)), "{:?}", verdict.reasons);
    let below = detect(&peer, "/app").await;
    assert_eq!(codes(&below)[0], "endpoint_elsewhere", "a URL with a path means that path");
}

#[tokio::test]
async fn handshake_detect_kind_reports_what_is_missing() {
    let peer = Peer::start(|_: &Received| Reply::html(404)).await;
    let verdict = detect(&peer, "/").await;
    assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Fail, vec!["nothing_found", "http_404"]));
    assert_eq!(verdict.reasons[0].reason, "card fail 404 (no card)");
    assert_eq!(verdict.facts.kind, None);

    let peer = Peer::start(|_: &Received| Reply::html(200)).await;
    let verdict = detect(&peer, "/card.json").await;
    assert_eq!(verdict.reasons[0].reason, "card fail 200 (non-card body)");
    assert_eq!(verdict.facts.kind, None, "a page is no agent");

    let broken = json!({"name": "x", "protocolVersion": "0.3.0", "skills": [], "capabilities": {}});
    let peer = answering("GET", broken).await;
    let verdict = detect(&peer, "/").await;
    assert_eq!(verdict.reasons[0].reason, "card fail 200 (invalid card)", "{:?}", codes(&verdict));
    assert_eq!(verdict.facts.kind, Some(Kind::Agent));

    let peer = answering("GET", json!({"name": "x".repeat(300_000)})).await;
    assert_eq!(codes(&detect(&peer, "/card").await), ["card_too_large", "http_404"]);

    let peer = answering("POST", json!({"jsonrpc": "2.0", "id": "mine", "result": {}})).await;
    assert_eq!(codes(&detect(&peer, "/rpc").await), ["bad_jsonrpc"], "it may be an endpoint");

    let peer = Peer::start(|_: &Received| Reply::empty(401)).await;
    let verdict = detect(&peer, "/x").await;
    let found = (verdict.handshake, codes(&verdict), verdict.facts.kind);
    assert_eq!(found, (Handshake::Partial, vec!["gated_unproven"], None));
}

#[tokio::test]
async fn handshake_detect_kind_stops_at_its_deadline() {
    let peer = Peer::start(|_: &Received| Reply::silence()).await;
    let started = std::time::Instant::now();
    let verdict = probe_for(Duration::from_millis(500), &of_unknown_kind(&peer, "/")).await;
    assert!(started.elapsed() < Duration::from_secs(10) && verdict.inconclusive);
    assert_eq!(verdict.handshake, Handshake::Fail);
    assert_eq!(codes(&verdict), ["timeout"], "not that there is no card");
    assert!(!verdict.reasons[0].seen.contains(" ms"), "one limit: {:?}", verdict.reasons);
}

#[tokio::test]
async fn handshake_cleans_and_shortens_texts_of_a_peer() {
    let peer = Peer::start(|_: &Received| {
        Reply::new(404, "text/plain", format!("\u{1b}[31m\u{202e}{}", "x".repeat(5000)))
    })
    .await;
    for kind in [Some(Kind::Mcp), Some(Kind::Agent)] {
        let verdict = probe(&peer.subject(kind, "/x")).await;
        let document: Value = serde_json::to_value(&verdict.reasons).unwrap();
        let text = document.to_string();
        assert!(!text.contains("\\u001b") && !text.contains('\u{202e}') && text.contains("[31m"));
        assert!(verdict.reasons.iter().all(|reason| reason.seen.chars().count() <= 161));
    }
}

#[tokio::test]
async fn document_leads_to_the_server_that_it_names_in_every_probe() {
    let script = |asked: &Received| match (asked.verb.as_str(), asked.path.as_str()) {
        ("GET", "/card.json") => {
            let url = format!("http://{}/v1/boil", asked.header("host").unwrap());
            Reply::ok(&json!({"serverInfo": {"name": "kettle", "version": "1"}, "url": url}))
        }
        (_, "/v1/boil") => mcp(asked),
        _ => Reply::empty(404),
    };
    let peer = Peer::start(script).await;
    for (kind, is_proven) in [(None, false), (Some(Kind::Mcp), true)] {
        let verdict = probe(&Subject { kind, is_proven, ..of_unknown_kind(&peer, "/card.json") }).await;
        assert_eq!((verdict.handshake, verdict.facts.kind), (Handshake::Ok, Some(Kind::Mcp)), "{verdict:?}");
        assert_eq!(verdict.facts.endpoint, Some(format!("{}/v1/boil", peer.origin)));
    }
}
