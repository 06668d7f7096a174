//! Rules that every client must follow, so that a server that official clients can use goes Live. Each was found in a public
//! report about a server that a client or registry handled wrongly.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use serde_json::{Value, json};

use super::{Script, after_handshake, info, legacy, modern_only, probed, tools};
use crate::handshake::tests::peer::{Asked, Reply, codes};
use registry_model::Handshake;

fn offering(asked: &Asked, capabilities: &Value) -> Reply {
    let result = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info()});
    Reply::result(asked, &result)
}

/// A guard that knows only the older methods.
fn guards_discover(asked: &Asked) -> Reply {
    match asked.method() {
        Some("server/discover") => Reply::empty(401).with("www-authenticate", "Bearer realm=\"x\""),
        _ => legacy(asked),
    }
}

fn never_ends_a_notification(asked: &Asked) -> Reply {
    match asked.method() {
        Some("notifications/initialized") => Reply::new(200, "text/event-stream", "").open(),
        _ => legacy(asked),
    }
}

fn postpones_its_reply(asked: &Asked) -> Reply {
    after_handshake(asked, |_| Reply::new(200, "text/event-stream", "id: e1\nretry: 20\ndata: \n\n"))
}

#[tokio::test]
async fn server_is_live_where_official_clients_can_use_it() {
    let table: [(&str, Script); 3] = [
        ("guards discover", guards_discover),
        ("never ends a notification", never_ends_a_notification),
        ("null members", |asked| {
            after_handshake(asked, |asked| {
                Reply::result(asked, &json!({"tools": tools(), "nextCursor": null}))
            })
        }),
    ];
    for (name, script) in table {
        let (_, verdict) = probed(script).await;
        assert_eq!((verdict.handshake, verdict.facts.tools.len()), (Handshake::Ok, 2), "{name}: {verdict:?}");
        assert_eq!(
            codes(&verdict),
            if name == "null members" { vec!["null_cursor"] } else { vec![] },
            "{name}"
        );
    }
}

#[tokio::test]
async fn only_what_the_server_offers_is_asked_for() {
    let (peer, verdict) = probed(|asked: &Asked| match asked.method() {
        Some("initialize") => offering(asked, &json!({"prompts": {}})),
        Some("tools/list") => Reply::new(400, "text/plain", "no such route"),
        Some("prompts/list") => Reply::result(asked, &json!({"prompts": [{"name": "review"}]})),
        _ => legacy(asked),
    })
    .await;
    assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Ok, vec![]));
    assert!(!peer.whats().contains(&"tools/list".to_owned()));
    assert_eq!(verdict.facts.tools_hash, None);
    let seen = verdict.facts.seen.unwrap();
    assert_eq!((seen.set.len(), seen.tools.len()), (64, 0), "the hash of the empty set");
    assert_eq!(seen.contents.clone().unwrap().prompts.unwrap().count, 1);
}

#[tokio::test]
async fn lost_session_is_opened_again_once() {
    let lost = AtomicU64::new(0);
    let (peer, verdict) = probed(move |asked: &Asked| match asked.method() {
        Some("initialize") => legacy(asked).with("mcp-session-id", "s"),
        Some("tools/list") if lost.fetch_add(1, Relaxed) == 0 => Reply::empty(404),
        _ => legacy(asked),
    })
    .await;
    assert_eq!((verdict.handshake, verdict.facts.tools.len()), (Handshake::Ok, 2), "{:?}", peer.whats());
    let (_, verdict) = probed(|asked: &Asked| match asked.method() {
        Some("initialize") => legacy(asked).with("mcp-session-id", "s"),
        Some("tools/list") => Reply::empty(404),
        _ => legacy(asked),
    })
    .await;
    assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Partial, vec!["tools_failed"]));
}

#[tokio::test]
async fn postponed_reply_is_polled_for() {
    let asked_for = AtomicU64::new(0);
    let (_, verdict) = probed(move |asked: &Asked| match (asked.verb.as_str(), asked.method()) {
        ("GET", _) => {
            assert_eq!(asked.header("last-event-id"), Some("e1"));
            let id = asked_for.load(Relaxed);
            let message = json!({"jsonrpc": "2.0", "id": id, "result": {"tools": tools()}});
            Reply::new(200, "text/event-stream", format!("data: {message}\n\n"))
        }
        (_, Some("tools/list")) => {
            asked_for.store(asked.body["id"].as_u64().unwrap(), Relaxed);
            postpones_its_reply(asked)
        }
        _ => legacy(asked),
    })
    .await;
    assert_eq!((verdict.handshake, verdict.facts.tools.len()), (Handshake::Ok, 2), "{verdict:?}");
    let (_, verdict) = probed(|asked: &Asked| match asked.verb.as_str() {
        "GET" => Reply::empty(405),
        _ => postpones_its_reply(asked),
    })
    .await;
    assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Partial, vec!["reply_postponed"]));
}

#[tokio::test]
async fn tool_that_clients_must_drop_is_not_counted() {
    let header =
        |name: &str| json!({"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": name}}});
    let result = json!({"resultType": "complete", "ttlMs": 1, "cacheScope": "public", "tools": [
        {"name": "good", "inputSchema": header("Region")}, {"name": "bad", "inputSchema": header("two words")},
    ]});
    let (_, verdict) = probed(move |asked: &Asked| match asked.method() {
        Some("tools/list") => Reply::result(asked, &result),
        _ => modern_only(asked),
    })
    .await;
    assert_eq!((verdict.handshake, verdict.facts.tools.len()), (Handshake::Ok, 1));
    assert_eq!(codes(&verdict), ["tool_header"]);
    assert!(verdict.reasons[0].seen.starts_with("tool `bad`: "), "{}", verdict.reasons[0].seen);
}

#[tokio::test]
async fn invalid_schema_is_reported_with_its_place() {
    let (_, verdict) = probed(|asked: &Asked| {
        after_handshake(asked, |asked| {
            let schema = json!({"type": "object", "properties": []});
            Reply::result(asked, &json!({"tools": [{"name": "a", "inputSchema": schema}]}))
        })
    })
    .await;
    assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Partial, vec!["nonconforming:tool_shape"]));
    assert_eq!(verdict.reasons[0].seen, "tool `a`: `inputSchema.properties` is []");
}

#[tokio::test]
async fn guard_before_the_server_is_named() {
    let table: [(&str, Script); 4] = [
        ("host_refused", |asked| Reply::error(421, asked, -32000, "Invalid Host: 127.0.0.1")),
        ("host_refused", |_| {
            Reply::new(403, "text/plain", "Blocked request. This host (\"x\") is not allowed.")
        }),
        ("plain_http", |_| {
            Reply::new(400, "text/plain", "Client sent an HTTP request to an HTTPS server.\n")
        }),
        ("waf", |_| Reply::html(200).with("x-vercel-mitigated", "challenge")),
    ];
    for (code, script) in table {
        let (_, verdict) = probed(script).await;
        assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Fail, vec![code]));
    }
}
