//! A table of answers that agents give to the two requests of a probe. Each row has one peer and the expected
//! result. A row has separate columns for the outcome, for the proof of the protocol, and for the answer to
//! the message, because they are shown separately.

use serde_json::json;

use super::{CARD, Script, message, outcome, probed, sound};
use crate::handshake::Depth;
use crate::handshake::tests::peer::{Asked, Reply};
use registry_model::Handshake;

/// A script for everything except the card, and the expected result: class, code, speaks, answers, inconclusive.
type Row = (&'static str, Script, (Handshake, &'static str, bool, Option<bool>, bool));

pub(super) fn on_message(asked: &Asked, reply: fn(&Asked) -> Reply) -> Reply {
    if asked.method() == Some("SendMessage") { reply(asked) } else { sound(asked) }
}

fn rows() -> Vec<Row> {
    use Handshake::{Fail, Partial};
    const NO: Option<bool> = Some(false);
    vec![
        (
            "internal",
            |a| on_message(a, |a| Reply::error(200, a, -32603, "boom")),
            (Partial, "message_failed", true, NO, false),
        ),
        (
            "unsupported",
            |a| on_message(a, |a| Reply::error(200, a, -32004, "no text")),
            (Partial, "message_refused", true, NO, false),
        ),
        (
            "no method",
            |a| on_message(a, |a| Reply::error(200, a, -32601, "no")),
            (Partial, "message_refused", true, NO, false),
        ),
        (
            "auth error",
            |a| on_message(a, |a| Reply::error(200, a, -32000, "Missing API key")),
            (Partial, "auth_required", true, NO, false),
        ),
        (
            "auth on message",
            |a| on_message(a, |_| Reply::empty(401)),
            (Partial, "auth_required", true, NO, false),
        ),
        (
            "payment on message",
            |a| on_message(a, |_| Reply::json(402, &json!({"accepts": []}))),
            (Partial, "payment_required", true, NO, false),
        ),
        (
            "odd answer",
            |a| on_message(a, |a| Reply::result(a, &json!("Hi"))),
            (Partial, "answer_shape", true, NO, false),
        ),
        (
            "crash on message",
            |a| on_message(a, |_| Reply::html(503)),
            (Partial, "http_5xx", true, None, true),
        ),
        (
            "busy on message",
            |a| on_message(a, |_| Reply::empty(429)),
            (Partial, "rate_limited", true, None, true),
        ),
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
        ("json", |_| Reply::json(200, &json!({"ok": true})), (Fail, "not_a2a", false, NO, false)),
        ("empty", |_| Reply::empty(200), (Fail, "not_a2a", false, NO, false)),
        (
            "other id",
            |_| Reply::json(200, &json!({"jsonrpc": "2.0", "id": 1, "result": message()})),
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
    for (name, script, (class, code, speaks, answers, inconclusive)) in rows() {
        let (peer, verdict) =
            probed(
                Depth::Message,
                move |asked: &Asked| {
                    if asked.path == CARD { sound(asked) } else { script(asked) }
                },
            )
            .await;
        assert_eq!(outcome(&verdict), (class, vec![code], speaks, answers), "{name}: {:?}", peer.whats());
        assert_eq!(verdict.inconclusive, inconclusive, "{name}");
        assert_eq!(verdict.facts.name.as_deref(), Some("Echo"), "{name}: the card counts whatever follows");
    }
}
