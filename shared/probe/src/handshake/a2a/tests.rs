//! Tests of the A2A handshake against peers with scripted behavior. Each test checks three results
//! separately, because the owner sees them separately: whether the protocol is proven, whether the agent
//! answers the message, and the outcome of the handshake.

mod table;

use std::time::Duration;

use serde_json::{Value, json};

use crate::handshake::tests::peer::{Peer, Received, Reply, probe, probe_for};
use crate::handshake::{Depth, Subject};
use registry_model::{Handshake, Kind, Verdict};

type Script = fn(&Received) -> Reply;

const CARD: &str = "/.well-known/agent-card.json";

/// A card with one interface per `(binding, version)`, all at `/rpc` of the peer itself.
fn card(asked: &Received, interfaces: &[(&str, &str)]) -> Reply {
    let url = format!("http://{}/rpc", asked.header("host").unwrap());
    let interfaces: Vec<Value> = interfaces
        .iter()
        .map(|(binding, version)| json!({"url": url, "protocolBinding": binding, "protocolVersion": version}))
        .collect();
    Reply::ok(&json!({
        "name": "Echo", "description": "Echoes.", "version": "1.0.0", "supportedInterfaces": interfaces,
        "documentationUrl": "https://a.example/docs", "capabilities": {}, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "echo", "name": "Echo", "description": "Echoes.", "tags": ["echo"]}],
    }))
}

fn message() -> Value {
    json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "Hi"}]}})
}

/// An agent of 1.0 without faults.
fn sound(asked: &Received) -> Reply {
    match asked.method() {
        Some("GetTask") => {
            assert_eq!(asked.header("a2a-version"), Some("1.0"));
            Reply::error(200, asked, -32001, "Task not found")
        }
        Some("SendMessage") => asked.result(&message()),
        Some(_) => Reply::error(200, asked, -32601, "Method not found"),
        None => card(asked, &[("JSONRPC", "1.0")]),
    }
}

/// An agent of 0.3 without faults. It knows no methods of other versions.
fn older(asked: &Received) -> Reply {
    match asked.method() {
        Some("tasks/get") => Reply::error(200, asked, -32001, "Task not found"),
        Some("message/send") => {
            assert_eq!(asked.header("a2a-version"), None);
            assert_eq!(asked.body["params"]["message"]["parts"][0]["kind"], "text");
            asked.result(
                &json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": "submitted"}}),
            )
        }
        _ => Reply::error(200, asked, -32601, "Method not found"),
    }
}

fn on_message(asked: &Received, reply: fn(&Received) -> Reply) -> Reply {
    if asked.method() == Some("SendMessage") { reply(asked) } else { sound(asked) }
}

/// The codes of the faults; the advice on every card on loopback ("nobody else reaches this") left out.
fn codes(verdict: &Verdict) -> Vec<&str> {
    let faults = verdict.reasons.iter().filter(|reason| reason.reason != "card warning");
    faults.map(|reason| reason.code.as_str()).collect()
}

async fn probed(
    depth: Depth,
    script: impl Fn(&Received) -> Reply + Send + Sync + 'static,
) -> (Peer, Verdict) {
    let peer = Peer::start(script).await;
    let verdict = probe(&Subject { depth, ..peer.subject(Some(Kind::Agent), CARD) }).await;
    assert!(peer.received().len() <= 4, "a probe stays cheap: {:?}", peer.requests());
    (peer, verdict)
}

fn outcome(verdict: &Verdict) -> (Handshake, Vec<&str>, bool, Option<bool>) {
    (verdict.handshake, codes(verdict), verdict.speaks, verdict.answers)
}

#[tokio::test]
async fn handshake_a2a_accepts_a_correct_agent() {
    let (peer, verdict) = probed(Depth::Message, sound).await;
    assert_eq!(outcome(&verdict), (Handshake::Ok, vec![], true, Some(true)));
    assert_eq!(
        peer.requests(),
        [&format!("GET {CARD}"), "GetTask", "SendMessage"],
        "the card is fetched once"
    );
    assert_eq!(verdict.signals, ["card_ok", "task_not_found_answered", "message_answered"]);
    assert_eq!(verdict.protocol_hints, ["a2a/1.0", "jsonrpc"]);
    let facts = verdict.facts;
    assert_eq!((facts.kind, facts.name.as_deref()), (Some(Kind::Agent), Some("Echo")));
    assert_eq!(facts.endpoint, Some(format!("{}/rpc", peer.origin)));
    assert_eq!(facts.card_url, Some(format!("{}{CARD}", peer.origin)));
    assert_eq!(facts.website.as_deref(), Some("https://a.example/docs"));
    assert_eq!((facts.skills.len(), facts.protocol_versions), (1, vec!["1.0".to_owned()]));

    let (peer, verdict) = probed(Depth::Question, sound).await;
    assert_eq!(outcome(&verdict), (Handshake::Ok, vec![], true, None));
    assert_eq!(peer.requests()[1..], ["GetTask"], "a question leaves no trace");
    assert!(verdict.latency_ms.is_some());
}

fn seen_of<'a>(verdict: &'a Verdict, code: &str) -> &'a str {
    &verdict.reasons.iter().find(|reason| reason.code == code).unwrap().seen
}

#[tokio::test]
async fn answer_with_a_wrong_shape_is_seen_as_it_was_sent() {
    let shape = |a: &Received| a.result(&json!({"kind": "message", "role": "agent", "parts": []}));
    let respond = move |asked: &Received| match asked.path.as_str() {
        CARD => sound(asked),
        _ => on_message(asked, shape),
    };
    let (_, verdict) = probed(Depth::Message, respond).await;
    let seen = seen_of(&verdict, "answer_shape");
    assert!(seen.contains(r#""kind":"message""#), "{seen}");
}

#[tokio::test]
async fn handshake_a2a_falls_back_to_the_other_dialect() {
    let (peer, verdict) = probed(Depth::Message, |asked: &Received| match asked.method() {
        None => card(asked, &[("JSONRPC", "1.0")]),
        Some(_) => older(asked),
    })
    .await;
    // Official clients call only what the card says.
    assert_eq!(outcome(&verdict), (Handshake::Partial, vec!["other_dialect"], true, Some(true)));
    assert!(seen_of(&verdict, "other_dialect").contains("-32601"), "what the declared version got");
    assert_eq!(peer.requests()[1..], ["GetTask", "SendMessage", "message/send"]);
    assert_eq!(verdict.facts.protocol_versions, ["0.3", "1.0"]);

    let (peer, verdict) = probed(Depth::Message, |asked: &Received| match asked.method() {
        None => Reply::ok(&json!({
            "name": "Old", "description": "Old.", "version": "0.1", "capabilities": {}, "skills": [],
            "url": format!("http://{}/a2a", asked.header("host").unwrap()),
        })),
        Some("tasks/send") => asked.result(&json!({"id": "t", "status": {"state": "completed"}})),
        Some(_) => Reply::error(200, asked, -32601, "Method not found"),
    })
    .await;
    assert_eq!((verdict.handshake, verdict.answers), (Handshake::Ok, Some(true)), "{:?}", peer.requests());
    assert_eq!(verdict.facts.protocol_versions, ["0.2"]);
    assert!(!verdict.reasons.is_empty(), "what the card lacks is reported, and blocks nothing");
}

#[tokio::test]
async fn handshake_a2a_starts_with_the_dialect_of_the_last_probe() {
    let script: Script = |asked| match asked.method() {
        None => card(asked, &[("HTTP+JSON", "1.0"), ("JSONRPC", "1.0"), ("JSONRPC", "0.3")]),
        Some(_) => older(asked),
    };
    let peer = Peer::start(script).await;
    let subject = Subject { last_era: Some("0.3".into()), ..peer.subject(Some(Kind::Agent), CARD) };
    assert_eq!(probe(&subject).await.handshake, Handshake::Ok);
    assert_eq!(peer.requests()[1..], ["tasks/get", "message/send"]);
}

#[tokio::test]
async fn handshake_a2a_names_the_tenant_of_the_interface() {
    for (binding, paths) in [
        ("HTTP+JSON", ["GET /rpc/billing/tasks/", "POST /rpc/billing/message:send"]),
        ("JSONRPC", ["GetTask", "SendMessage"]),
    ] {
        let (peer, verdict) = probed(Depth::Message, move |asked: &Received| match asked.path.as_str() {
            CARD => {
                let mut card: Value = serde_json::from_str(&card(asked, &[(binding, "1.0")]).body).unwrap();
                card["supportedInterfaces"][0]["tenant"] = json!("billing");
                Reply::ok(&card)
            }
            "/rpc" if asked.body["params"]["tenant"] == "billing" => sound(asked),
            "/rpc/billing/message:send" => Reply::ok(&message()),
            path if path.starts_with("/rpc/billing/tasks/") => {
                Reply::json(404, &json!({"error": {"code": 404, "message": "Task not found"}}))
            }
            _ => Reply::empty(404),
        })
        .await;
        assert_eq!(outcome(&verdict), (Handshake::Ok, vec![], true, Some(true)), "{binding}");
        let requests = peer.requests();
        assert!(requests[1].starts_with(paths[0]) && requests[2] == paths[1], "{requests:?}");
        assert_eq!(verdict.facts.endpoint, Some(format!("{}/rpc#tenant=billing", peer.origin)));
        assert_eq!(verdict.protocol_hints, ["a2a/1.0", &binding.to_ascii_lowercase()]);
    }
}

#[tokio::test]
async fn handshake_a2a_does_not_accept_a_plain_404_as_proof_of_an_agent() {
    let (_, verdict) = probed(Depth::Question, |asked: &Received| match asked.path.as_str() {
        CARD => card(asked, &[("HTTP+JSON", "1.0")]),
        _ => Reply::json(404, &json!({"detail": "Not Found"})),
    })
    .await;
    assert_eq!(outcome(&verdict), (Handshake::Fail, vec!["http_404"], false, Some(false)));
}

#[tokio::test]
async fn handshake_a2a_accepts_an_agent_that_answers_only_messages() {
    for depth in [Depth::Question, Depth::Message] {
        let (_, verdict) = probed(depth, |asked: &Received| match asked.method() {
            Some("GetTask") => Reply::html(500),
            _ => sound(asked),
        })
        .await;
        assert_eq!(outcome(&verdict), (Handshake::Ok, vec![], true, Some(true)));
        assert!(verdict.signals.contains(&"question_not_understood".to_owned()));
    }
}

#[tokio::test]
async fn handshake_a2a_accepts_a_version_error_as_proof_of_an_agent() {
    let (peer, verdict) = probed(Depth::Question, |asked: &Received| match asked.method() {
        Some(_) => Reply::error(200, asked, -32009, "Version not supported"),
        None => sound(asked),
    })
    .await;
    assert_eq!(outcome(&verdict), (Handshake::Ok, vec![], true, None), "{:?}", peer.requests());
}

#[tokio::test]
async fn handshake_a2a_reports_cards_without_a_usable_interface() {
    let table: [(Script, Handshake, &str); 5] = [
        (|asked| card(asked, &[("GRPC", "1.0")]), Handshake::Partial, "grpc_only"),
        (|asked| card(asked, &[("https://a.example/own-binding", "1.0")]), Handshake::Fail, "no_interface"),
        (|_| Reply::html(200), Handshake::Fail, "not_a_card"),
        (|_| Reply::ok(&json!({"ok": true})), Handshake::Fail, "not_a_card"),
        (
            |_| {
                Reply::ok(&json!({
                    "name": "x", "description": "X.", "version": "1", "capabilities": {}, "skills": [], "supportedInterfaces": [{"url": "http://10.0.0.1/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
                }))
            },
            Handshake::Fail,
            "interface_url",
        ),
    ];
    for (script, class, code) in table {
        let (peer, verdict) = probed(Depth::Message, script).await;
        assert_eq!((verdict.handshake, codes(&verdict)[0]), (class, code));
        assert_eq!(peer.received().len(), 1, "{code}: there is no interface to call");
        assert!(!verdict.speaks && verdict.latency_ms.is_none());
    }
    let (_, verdict) = probed(Depth::Message, |_: &Received| {
        Reply::ok(&json!({"name": "x", "skills": [], "protocolVersion": "0.3.0"}))
    })
    .await;
    assert!(
        verdict.handshake == Handshake::Fail && verdict.reasons[0].reason == "card fail 200 (invalid card)"
    );
    assert!(verdict.reasons.iter().all(|reason| !reason.fix.is_empty()));
}

#[tokio::test]
async fn handshake_a2a_counts_a_broken_rule_as_a_fault_of_the_card() {
    let (_, verdict) = probed(Depth::Message, |asked: &Received| match asked.method() {
        Some(_) => sound(asked),
        None => {
            let mut card: Value = serde_json::from_str(&card(asked, &[("JSONRPC", "1.0")]).body).unwrap();
            card["skills"] = Value::Null;
            Reply::ok(&card)
        }
    })
    .await;
    assert_eq!(outcome(&verdict), (Handshake::Partial, vec!["skills_missing"], true, Some(true)));
    assert_eq!(verdict.card_fault.unwrap().code, "skills_missing");
}

#[tokio::test]
async fn handshake_a2a_keeps_the_proven_facts_after_a_timeout() {
    let silent: Script = |asked| on_message(asked, |_| Reply::silence());
    let peer = Peer::start(silent).await;
    let verdict = probe_for(Duration::from_millis(400), &peer.subject(Some(Kind::Agent), CARD)).await;
    assert_eq!(outcome(&verdict), (Handshake::Partial, vec!["message_timeout"], true, None));
    assert!(verdict.inconclusive);

    let peer =
        Peer::start(|asked: &Received| if asked.path == CARD { sound(asked) } else { Reply::silence() })
            .await;
    let verdict = probe_for(Duration::from_millis(400), &peer.subject(Some(Kind::Agent), CARD)).await;
    assert_eq!(outcome(&verdict), (Handshake::Fail, vec!["timeout"], false, None));
}
