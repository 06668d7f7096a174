//! The decision table of the MCP handshake. Each row has one peer, and the outcome and code that the probe must return.
//! The table has the same form as the table in the research notes, so that the two can be compared.

use std::time::Duration;

use serde_json::json;

use super::{Script, after_handshake, legacy, probed, tools};
use crate::handshake::tests::peer::{Received, Reply, codes};
use registry_model::Handshake;

/// The expected row of the table: class, code, speaks, inconclusive.
type Expected = (Handshake, &'static str, bool, bool);

/// A name, a script, and what the probe must return.
type Row = (&'static str, Script, Expected);

/// A conclusive failure of a peer that does not speak the protocol.
const fn fail(code: &'static str) -> Expected {
    (Handshake::Fail, code, false, false)
}

/// A conclusive fault of a server that speaks the protocol.
const fn partial(code: &'static str) -> Expected {
    (Handshake::Partial, code, true, false)
}

/// Answers to `tools/list` after a handshake without faults.
fn tools_rows() -> Vec<Row> {
    use Handshake::{Ok, Partial};
    vec![
        ("tools error", |a| Reply::error(200, a, -32603, "boom"), partial("tools_failed")),
        ("tools page", |_| Reply::html(200), partial("tools_failed")),
        ("tools 503", |_| Reply::html(503), (Partial, "http_5xx", true, true)),
        ("tools 429", |_| Reply::empty(429), (Partial, "rate_limited", true, true)),
        ("tools gated", |_| Reply::empty(401), partial("sign_in:no_challenge")),
        ("tools key", |a| Reply::error(200, a, -32000, "Invalid API key"), partial("auth_required")),
        (
            "tool names",
            |a| {
                let tool = json!({"name": "x", "inputSchema": {"type": "object"}});
                a.result(&json!({"tools": [tool, tool]}))
            },
            (Ok, "nonconforming:tool_names", true, false),
        ),
        (
            "null cursor",
            |a| a.result(&json!({"tools": tools(), "nextCursor": null})),
            (Ok, "null_cursor", true, false),
        ),
    ]
}

fn rows() -> Vec<Row> {
    use Handshake::{Fail, Partial};
    vec![
        (
            "moved to a template",
            |a| match a.path.contains("token") {
                true => legacy(a),
                false => Reply::empty(307).with("location", "/mcp?x=${token}"),
            },
            (Handshake::Skip, "template", true, false),
        ),
        (
            "notification",
            |a| match a.method() {
                Some("notifications/initialized") => Reply::empty(400),
                _ => legacy(a),
            },
            partial("nonconforming:notification"),
        ),
        (
            "headers",
            |a| match a.method() {
                Some("server/discover") => Reply::error(400, a, -32020, "Mcp-Method missing"),
                _ => Reply::error(404, a, -32601, "no"),
            },
            partial("nonconforming:headers"),
        ),
        ("bare 401", |_| Reply::empty(401), (Partial, "gated_unproven", false, false)),
        ("bare 403", |_| Reply::html(403), (Partial, "gated_unproven", false, false)),
        ("rpc 401", |a| Reply::error(401, a, -32001, "Unauthorized"), partial("sign_in:no_challenge")),
        ("rpc key", |a| Reply::error(200, a, -32000, "API key required"), partial("auth_required")),
        (
            "402",
            |_| Reply::json(402, &json!({"x402Version": 1})),
            (Partial, "payment_required", false, false),
        ),
        ("html", |_| Reply::html(200), fail("not_mcp")),
        ("json", |_| Reply::ok(&json!({"ok": true})), fail("not_mcp")),
        ("echo of all", |a| a.result(&json!({"ok": true})), fail("not_mcp")),
        ("unknown method", |a| Reply::error(200, a, -32601, "no"), fail("not_mcp")),
        ("empty 400", |_| Reply::empty(400), fail("not_mcp")),
        ("empty 405", |_| Reply::empty(405), fail("not_mcp")),
        ("other id", |_| Reply::ok(&json!({"jsonrpc": "2.0", "id": 99, "result": {}})), fail("bad_jsonrpc")),
        ("refused", |a| Reply::error(200, a, -32602, "Invalid params"), partial("initialize_refused")),
        ("404", |_| Reply::html(404), fail("http_404")),
        ("410", |_| Reply::empty(410), fail("http_404")),
        ("418", |_| Reply::empty(418), fail("http_418")),
        ("406", |_| Reply::empty(406), fail("accept_406")),
        ("rpc 406", |a| Reply::error(406, a, -32000, "Not Acceptable"), partial("accept_406")),
        ("415", |_| Reply::empty(415), fail("ctype_415")),
        ("429", |_| Reply::empty(429).with("retry-after", "77"), (Fail, "rate_limited", false, true)),
        ("500", |_| Reply::html(500), (Fail, "http_5xx", false, true)),
        ("rpc 500", |a| Reply::error(500, a, -32603, "boom"), (Fail, "http_5xx", false, true)),
        (
            "postponed",
            |a| {
                let begun = Reply::new(200, "text/event-stream", "id: e1\nretry: 20\ndata: \n\n");
                match a.verb.as_str() {
                    "GET" => Reply::empty(405),
                    _ if a.method() == Some("tools/list") => begun,
                    _ => legacy(a),
                }
            },
            (Partial, "reply_postponed", true, true),
        ),
        ("host", |a| Reply::error(421, a, -32000, "Invalid Host: 127.0.0.1"), fail("host_refused")),
        (
            "host page",
            |_| Reply::new(403, "text/plain", "Blocked request. This host (\"x\") is not allowed."),
            fail("host_refused"),
        ),
        (
            "plain http",
            |_| Reply::new(400, "text/plain", "Client sent an HTTP request to an HTTPS server.\n"),
            fail("plain_http"),
        ),
        (
            "wall",
            |_| Reply::new(403, "text/html", "<html><script src=/cdn-cgi/challenge-platform/x>"),
            (Fail, "waf", false, true),
        ),
        (
            "wall vercel",
            |_| Reply::html(200).with("x-vercel-mitigated", "challenge"),
            (Fail, "waf", false, true),
        ),
        (
            "wall header",
            |_| Reply::html(202).with("x-amzn-waf-action", "challenge"),
            (Fail, "waf", false, true),
        ),
    ]
}

#[tokio::test]
async fn handshake_mcp_each_response_gives_the_specified_result() {
    let rows = rows().into_iter().map(|row| (false, row));
    let rows = rows.chain(tools_rows().into_iter().map(|row| (true, row)));
    for (is_of_tools, (name, script, (class, code, speaks, inconclusive))) in rows {
        let respond = move |a: &Received| if is_of_tools { after_handshake(a, script) } else { script(a) };
        let (peer, verdict) = probed(respond).await;
        assert_eq!(codes(&verdict), [code], "{name}: {:?}", peer.requests());
        let is_warning = verdict.reasons[0].reason.ends_with(" warning");
        assert_eq!(is_warning, verdict.handshake == Handshake::Ok, "{name}: {:?}", verdict.reasons);
        let found = (verdict.handshake, verdict.speaks, verdict.inconclusive);
        assert_eq!(found, (class, speaks, inconclusive), "{name}");
        assert_eq!(verdict.retry_after, (name == "429").then_some(Duration::from_secs(77)), "{name}");
    }
}
