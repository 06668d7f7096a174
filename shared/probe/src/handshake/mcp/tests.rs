//! Tests of the MCP handshake against peers with scripted behavior. The faults were found in real servers,
//! which use fifteen frameworks. Each fault has one test.

mod fields;
mod sign_in;
mod table;

use std::time::Duration;

use serde_json::{Value, json};

use crate::handshake::tests::peer::{Peer, Received, Reply, codes, probe, probe_for};
use crate::handshake::{Depth, Subject};
use registry_model::{DeclaredTransport, Handshake, Kind, Verdict};

type Script = fn(&Received) -> Reply;

fn info() -> Value {
    json!({"name": "adder", "title": "Adder", "version": "1.2.3", "description": "Adds.", "websiteUrl": "https://a.example/"})
}

fn tools() -> Value {
    json!([
        {"name": "add", "description": "Adds two numbers.", "inputSchema": {"type": "object"}},
        {"name": "echo", "inputSchema": {"type": "object"}},
    ])
}

fn initialized() -> Value {
    json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info()})
}

fn discovered() -> Value {
    json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "ttlMs": 0, "cacheScope": "public", "_meta": {"io.modelcontextprotocol/serverInfo": info()},
    })
}

/// A server of 2026-07-28 without faults.
fn modern(asked: &Received) -> Reply {
    let meta = &asked.body["params"]["_meta"];
    let version = "2026-07-28";
    assert_eq!(asked.header("mcp-protocol-version"), Some(version));
    assert_eq!(asked.header("mcp-method"), asked.method());
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], version);
    assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object());
    match asked.method() {
        Some("server/discover") => asked.result(&discovered()),
        Some("tools/list") => asked.result(&json!({
            "resultType": "complete", "tools": tools(), "ttlMs": 0, "cacheScope": "public",
        })),
        _ => Reply::error(404, asked, -32601, "Method not found"),
    }
}

/// The same server, but for `initialize`, which is sent without the headers of 2026-07-28.
fn modern_only(asked: &Received) -> Reply {
    match asked.method() {
        Some("initialize") => Reply::error(404, asked, -32601, "Method not found"),
        _ => modern(asked),
    }
}

/// A sound server of the era before, that refuses what it does not know by HTTP 200.
fn legacy(asked: &Received) -> Reply {
    match asked.method() {
        Some("initialize") => {
            assert_eq!(asked.header("mcp-protocol-version"), None, "clients send it only afterwards");
            asked.result(&initialized())
        }
        Some("notifications/initialized") => Reply::empty(202),
        Some("tools/list") => {
            assert_eq!(asked.header("mcp-protocol-version"), Some("2025-06-18"));
            assert_eq!(asked.body.get("params"), None);
            asked.result(&json!({"tools": tools()}))
        }
        _ => Reply::error(200, asked, -32601, "Method not found"),
    }
}

fn after_handshake(asked: &Received, on_tools: fn(&Received) -> Reply) -> Reply {
    if asked.method() == Some("tools/list") { on_tools(asked) } else { legacy(asked) }
}

async fn probed(script: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> (Peer, Verdict) {
    let peer = Peer::start(script).await;
    let verdict = probe(&peer.subject(Some(Kind::Mcp), "/mcp")).await;
    let pages = peer.requests().iter().filter(|what| *what == "tools/list").count();
    assert!(peer.received().len() - pages <= 8, "a probe stays cheap: {:?}", peer.requests());
    assert!(
        peer.received().iter().all(|asked| asked.verb != "DELETE" && asked.method() != Some("tools/call"))
    );
    (peer, verdict)
}

#[tokio::test]
async fn handshake_mcp_supports_modern_and_legacy_servers() {
    let (peer, verdict) = probed(modern_only).await;
    assert_eq!((verdict.handshake, verdict.reasons.as_slice()), (Handshake::Ok, [].as_slice()));
    assert!(verdict.signals.contains(&"ok_modern".to_owned()));
    assert_eq!(peer.requests(), ["server/discover", "tools/list", "initialize"]);
    let facts = verdict.facts;
    assert_eq!(facts.name.as_deref(), Some("Adder"));
    assert_eq!(facts.version.as_deref(), Some("1.2.3"));
    assert_eq!(facts.description.as_deref(), Some("Adds."));
    assert_eq!(facts.website.as_deref(), Some("https://a.example/"));
    assert_eq!(facts.endpoint, Some(format!("{}/mcp", peer.origin)));
    assert_eq!(facts.protocol_versions, ["2026-07-28"]);
    assert_eq!((facts.tools.len(), facts.tools[0].description.as_str()), (2, "Adds two numbers."));
    assert!(verdict.latency_ms.is_some() && verdict.speaks && verdict.answers.is_none());

    let (peer, older) = probed(legacy).await;
    assert_eq!(older.handshake, Handshake::Ok);
    assert!(older.signals.contains(&"ok_legacy".to_owned()));
    assert_eq!(peer.requests(), ["server/discover", "initialize", "notifications/initialized", "tools/list"]);
    assert_eq!(older.facts.tools_hash, facts.tools_hash, "the tools are the same");

    let both =
        |asked: &Received| if asked.header("mcp-method").is_some() { modern(asked) } else { legacy(asked) };
    let (_, dual) = probed(both).await;
    assert_eq!(dual.handshake, Handshake::Ok);
    assert!(dual.signals.contains(&"ok_dual".to_owned()));
    assert_eq!(dual.facts.protocol_versions, ["2026-07-28", "2025-06-18"]);
}

#[tokio::test]
async fn handshake_mcp_opens_no_session_at_a_modern_server() {
    let peer = Peer::start(modern).await;
    let subject = Subject { depth: Depth::Question, ..peer.subject(Some(Kind::Mcp), "/mcp") };
    assert_eq!(probe(&subject).await.handshake, Handshake::Ok);
    assert_eq!(peer.requests(), ["server/discover", "tools/list"]);
}

#[tokio::test]
async fn handshake_mcp_starts_with_the_protocol_revision_of_the_last_probe() {
    let peer = Peer::start(legacy).await;
    let subject = Subject { last_era: Some("2025-06-18".into()), ..peer.subject(Some(Kind::Mcp), "/mcp") };
    assert_eq!(probe(&subject).await.handshake, Handshake::Ok);
    assert_eq!(peer.requests(), ["initialize", "notifications/initialized", "tools/list"]);

    let peer = Peer::start(modern_only).await;
    let subject = Subject {
        last_era: Some("2025-06-18".into()),
        depth: Depth::Question,
        ..peer.subject(Some(Kind::Mcp), "/mcp")
    };
    assert_eq!(probe(&subject).await.handshake, Handshake::Ok, "a server may move to the new era");
    assert_eq!(peer.requests()[..2], ["initialize", "server/discover"]);
}

#[tokio::test]
async fn handshake_mcp_uses_a_version_from_the_error_of_the_server() {
    let (peer, verdict) = probed(|asked: &Received| match asked.header("mcp-protocol-version") {
        Some("2027-01-01") => match asked.method() {
            Some("server/discover") => asked.result(&json!({
                "resultType": "complete", "capabilities": {"tools": {}}, "supportedVersions": ["2027-01-01"], "ttlMs": 1, "cacheScope": "private",
            })),
            _ => asked.result(&json!({"resultType": "complete", "tools": [], "ttlMs": 1, "cacheScope": "public"})),
        },
        Some(_) => Reply::json(400, &json!({
            "jsonrpc": "2.0", "id": asked.body["id"],
            "error": {"code": -32022, "message": "no", "data": {"supported": ["2027-01-01"], "requested": "2026-07-28"}},
        })),
        None => Reply::empty(404),
    })
    .await;
    assert_eq!(verdict.handshake, Handshake::Ok, "{:?}", verdict.reasons);
    assert_eq!(peer.requests()[..3], ["server/discover", "server/discover", "tools/list"]);
    assert_eq!(verdict.facts.protocol_versions, ["2027-01-01"]);
}

#[tokio::test]
async fn handshake_mcp_reads_at_most_64_pages_of_tools() {
    let (peer, verdict) = probed(|asked: &Received| match asked.method() {
        Some("tools/list") => {
            let next = format!("{}x", asked.body["params"]["cursor"].as_str().unwrap_or_default());
            let tool = json!({"name": next, "inputSchema": {"type": "object"}});
            asked.result(&json!({"tools": [tool], "nextCursor": next})).streamed()
        }
        _ => legacy(asked),
    })
    .await;
    assert_eq!(peer.requests().iter().filter(|what| *what == "tools/list").count(), 64);
    assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Ok, vec!["tools_not_all_read"]));
    assert!(verdict.signals.contains(&"sse_answer".to_owned()));
}

#[tokio::test]
async fn handshake_mcp_limits_the_number_and_length_of_tools() {
    let (_, verdict) = probed(|asked: &Received| match asked.method() {
        Some("tools/list") => {
            let tools: Vec<Value> = (0..300)
                .map(|n| json!({"name": format!("t{n}"), "description": "d".repeat(900), "inputSchema": {"type": "object"}}))
                .collect();
            asked.result(&json!({"tools": tools}))
        }
        _ => legacy(asked),
    })
    .await;
    assert_eq!((verdict.handshake, verdict.facts.tools.len()), (Handshake::Ok, 200));
    assert_eq!(verdict.facts.tools[0].description.chars().count(), 501, "500 and the mark of the cut");
}

#[tokio::test]
async fn handshake_mcp_reports_a_server_that_accepts_only_one_media_type() {
    let (_, verdict) = probed(|asked: &Received| match asked.header("accept") {
        Some("application/json") => legacy(asked),
        _ => Reply::empty(406),
    })
    .await;
    assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Partial, vec!["accept_406"]));
    assert!(verdict.speaks && verdict.facts.tools.len() == 2);
}

#[tokio::test]
async fn handshake_mcp_recognizes_the_deprecated_transport() {
    let sse: Script = |asked| match asked.verb.as_str() {
        "GET" => Reply::new(200, "text/event-stream", "event: endpoint\ndata: /messages?s=1\n\n").open(),
        _ => Reply::empty(405),
    };
    for (declared, class, code) in [
        (DeclaredTransport::Unknown, Handshake::Partial, "sse_legacy"),
        (DeclaredTransport::Sse, Handshake::Partial, "sse_legacy"),
        (DeclaredTransport::StreamableHttp, Handshake::Fail, "wrong_transport"),
    ] {
        let peer = Peer::start(sse).await;
        let verdict = probe(&Subject { declared, ..peer.subject(Some(Kind::Mcp), "/sse") }).await;
        assert_eq!((verdict.handshake, codes(&verdict)), (class, vec![code]), "{declared:?}");
        assert_eq!(verdict.reasons[0].seen, "GET opens an event stream with an endpoint event");
        assert_eq!(peer.received().len(), if declared == DeclaredTransport::Sse { 1 } else { 3 });
    }
    let peer =
        Peer::start(|asked: &Received| if asked.verb == "GET" { Reply::empty(405) } else { legacy(asked) })
            .await;
    let verdict =
        probe(&Subject { declared: DeclaredTransport::Sse, ..peer.subject(Some(Kind::Mcp), "/mcp") }).await;
    assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Fail, vec!["wrong_transport"]));
    assert_eq!(verdict.facts.tools.len(), 2, "what it says of itself is kept");
}

#[tokio::test]
async fn handshake_mcp_with_a_silent_server_times_out() {
    let peer = Peer::start(|_: &Received| Reply::silence()).await;
    let verdict = probe_for(Duration::from_millis(300), &peer.subject(Some(Kind::Mcp), "/mcp")).await;
    assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Fail, vec!["timeout"]));
    assert!(verdict.inconclusive && verdict.reasons[0].reason == "remote timeout (10000 ms)");

    let silent_tools: Script = |asked| after_handshake(asked, |_| Reply::silence());
    let peer = Peer::start(silent_tools).await;
    let verdict = probe_for(Duration::from_millis(600), &peer.subject(Some(Kind::Mcp), "/mcp")).await;
    assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Partial, vec!["timeout"]));
    assert!(verdict.speaks && verdict.inconclusive && verdict.facts.name.as_deref() == Some("Adder"));
}

#[tokio::test]
async fn handshake_mcp_stops_reading_an_endless_answer() {
    let (_, verdict) = probed(|_: &Received| Reply::ok(&json!({"x": "y".repeat(2 << 20)}))).await;
    assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Fail, vec!["answer_too_large"]));
}
