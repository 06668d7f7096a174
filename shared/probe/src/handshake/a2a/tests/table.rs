//! A table of answers that agents give to the two requests of a probe. Each row has one peer and the expected
//! result. A row has separate columns for the outcome, for the proof of the protocol, and for the answer to
//! the message, because they are shown separately.

use serde_json::json;

use super::{CARD, Script, message, on_message, outcome, probed, sound};
use crate::handshake::Depth;
use crate::handshake::tests::peer::{Received, Reply};
use registry_model::Handshake;

/// A script for everything except the card, and the expected result: class, code, speaks, answers, inconclusive.
type Row = (&'static str, Script, (Handshake, &'static str, bool, Option<bool>, bool));

/// A script for the message alone, and the expected result: code, answers, inconclusive. The class is Partial.
type MessageRow = (&'static str, Script, (&'static str, Option<bool>, bool));

fn message_rows() -> Vec<MessageRow> {
    const NO: Option<bool> = Some(false);
    vec![
        ("internal", |a| Reply::error(200, a, -32603, "boom"), ("message_failed", NO, false)),
        ("unsupported", |a| Reply::error(200, a, -32004, "no text"), ("message_refused", NO, false)),
        ("no method", |a| Reply::error(200, a, -32601, "no"), ("message_refused", NO, false)),
        ("auth error", |a| Reply::error(200, a, -32000, "Missing API key"), ("auth_required", NO, false)),
        ("auth on message", |_| Reply::empty(401), ("auth_required", NO, false)),
        ("402 on message", |_| Reply::json(402, &json!({"accepts": []})), ("payment_required", NO, false)),
        ("odd answer", |a| a.result(&json!("Hi")), ("answer_shape", NO, false)),
        ("crash on message", |_| Reply::html(503), ("http_5xx", None, true)),
        ("busy on message", |_| Reply::empty(429), ("rate_limited", None, true)),
    ]
}

fn rows() -> Vec<Row> {
    use Handshake::{Fail, Partial};
    const NO: Option<bool> = Some(false);
    vec![
        ("auth", |_| Reply::empty(401), (Partial, "auth_required", false, None, false)),
        (
            "forbidden",
            |_| Reply::json(403, &json!({"error": "no"})),
            (Partial, "auth_required", false, None, false),
        ),
        (
            "rpc auth",
            |a| Reply::error(401, a, -32000, "Unauthorized"),
            (Partial, "auth_required", true, None, false),
        ),
        ("payment", |_| Reply::empty(402), (Partial, "payment_required", false, None, false)),
        ("html", |_| Reply::html(200), (Fail, "not_a2a", false, NO, false)),
        ("json", |_| Reply::ok(&json!({"ok": true})), (Fail, "not_a2a", false, NO, false)),
        ("empty", |_| Reply::empty(200), (Fail, "not_a2a", false, NO, false)),
        (
            "other id",
            |_| Reply::ok(&json!({"jsonrpc": "2.0", "id": 1, "result": message()})),
            (Fail, "bad_jsonrpc", false, NO, false),
        ),
        ("no methods", |a| Reply::error(200, a, -32601, "no"), (Fail, "unknown_methods", false, NO, false)),
        ("404", |_| Reply::html(404), (Fail, "http_404", false, NO, false)),
        ("405", |_| Reply::empty(405), (Fail, "http_405", false, NO, false)),
        ("500", |_| Reply::html(500), (Fail, "http_5xx", false, None, true)),
        ("429", |_| Reply::empty(429), (Fail, "rate_limited", false, None, true)),
        ("moved", |_| Reply::empty(302).with("location", "/login"), (Fail, "redirected", false, NO, false)),
        ("wall", |_| Reply::html(403).with("cf-mitigated", "challenge"), (Fail, "waf", false, None, true)),
    ]
}

#[tokio::test]
async fn handshake_a2a_each_response_gives_the_specified_result() {
    let rows = rows().into_iter().map(|(name, script, expected)| (name, script, false, expected));
    let of_message = message_rows().into_iter().map(|(name, script, (code, answers, inconclusive))| {
        (name, script, true, (Handshake::Partial, code, true, answers, inconclusive))
    });
    for (name, script, is_message, (class, code, speaks, answers, inconclusive)) in rows.chain(of_message) {
        let respond = move |asked: &Received| match asked.path.as_str() {
            CARD => sound(asked),
            _ if is_message => on_message(asked, script),
            _ => script(asked),
        };
        let (peer, verdict) = probed(Depth::Message, respond).await;
        assert_eq!(outcome(&verdict), (class, vec![code], speaks, answers), "{name}: {:?}", peer.requests());
        assert_eq!(verdict.inconclusive, inconclusive, "{name}");
        assert_eq!(verdict.facts.name.as_deref(), Some("Echo"), "{name}: the card counts whatever follows");
    }
}
