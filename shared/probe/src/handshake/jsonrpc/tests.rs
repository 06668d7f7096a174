use super::*;
use serde_json::json;

fn outcome(body: &str) -> RpcOutcome {
    parse_reply(Some("application/json"), body.as_bytes(), 7, &mut 100).outcome
}

fn error(code: i64) -> RpcOutcome {
    RpcOutcome::Error(RpcError { code, message: String::new(), supported: Vec::new() })
}

#[test]
fn reply_must_repeat_the_id_of_the_request() {
    let result = RpcOutcome::Result(json!({"a": 1}));
    assert_eq!(outcome(r#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#), result);
    assert_eq!(outcome(r#"{"jsonrpc":"2.0","id":7,"result":{"a":1},"error":null}"#), result);
    assert_eq!(outcome(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601}}"#), error(-32601));
    assert_eq!(outcome(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}"#), error(-32700));
    assert_eq!(outcome(r#"{"jsonrpc":"2.0","error":{"code":-32000}}"#), error(-32000));
    for broken in [
        r#"{"jsonrpc":"2.0","id":8,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":8,"error":{"code":-32601}}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7}"#,
        r#"{"jsonrpc":"2.0","id":7,"error":"no"}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{}"#,
    ] {
        assert_eq!(outcome(broken), RpcOutcome::Broken, "{broken}");
    }
}

#[test]
fn documents_that_are_not_json_rpc_are_classified() {
    assert_eq!(outcome(r#"{"detail":"Not Found"}"#), RpcOutcome::OtherJson);
    assert_eq!(outcome(r#"{"error":{"code":404,"message":"x"}}"#), RpcOutcome::OtherJson);
    assert_eq!(outcome("[]"), RpcOutcome::OtherJson);
    assert_eq!(outcome(" "), RpcOutcome::Nothing);
    assert_eq!(outcome("Not Found"), RpcOutcome::Text);
    assert_eq!(parse_reply(None, b"<!doctype html>", 7, &mut 100).outcome, RpcOutcome::Html);
    assert_eq!(parse_reply(Some("text/html"), b"hello", 7, &mut 100).outcome, RpcOutcome::Html);
}

#[test]
fn slightly_broken_replies_are_accepted_and_reported() {
    let reply = |body: &str| parse_reply(None, body.as_bytes(), 7, &mut 100);
    let cases = [
        (r#"{"jsonrpc":"2.0","id":"7","result":{}}"#, ConformanceRule::IdEcho),
        (r#"{"id":7,"result":{}}"#, ConformanceRule::JsonRpcMember),
        (r#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#, ConformanceRule::Batch),
    ];
    for (body, rule) in cases {
        assert_eq!(
            reply(body),
            RpcReply { outcome: RpcOutcome::Result(json!({})), broken_rules: vec![rule], streamed: false }
        );
    }
}

#[test]
fn reply_is_found_among_other_events_of_a_stream() {
    let body = b"data: \n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n\
        data: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":5}\n\n";
    let reply = parse_reply(Some("text/event-stream; charset=utf-8"), body, 7, &mut 100);
    assert_eq!((reply.outcome, reply.streamed), (RpcOutcome::Result(json!(5)), true));
    assert_eq!(parse_reply(Some("text/event-stream"), body, 9, &mut 100).outcome, RpcOutcome::Broken);
    assert_eq!(
        parse_reply(Some("text/event-stream"), b"data: \n\n", 7, &mut 100).outcome,
        RpcOutcome::Nothing
    );
}

#[test]
fn reply_with_more_values_than_the_budget_is_not_read() {
    let stream = b"data: 1\n\n".repeat(101);
    assert_eq!(parse_reply(None, &stream, 7, &mut 100).outcome, RpcOutcome::TooMuch, "events are values");
    let body = br#"{"jsonrpc":"2.0","id":7,"result":{"a":[0,0,0,0]}}"#;
    assert_eq!(parse_reply(None, body, 7, &mut 8).outcome, RpcOutcome::TooMuch);
    assert_eq!(parse_reply(None, body, 7, &mut 9).outcome, RpcOutcome::Result(json!({"a": [0, 0, 0, 0]})));
}

#[test]
fn errors_that_ask_for_credentials_are_recognized_by_their_words() {
    let error = |message: &str| RpcError { code: -32000, message: message.into(), supported: Vec::new() };
    assert!(error("Missing API key").wants_credentials());
    assert!(error("Unauthorized").wants_credentials());
    assert!(!error("Unexpected token < in JSON").wants_credentials());
    assert!(!error("Bad Request: Server not initialized").wants_credentials());
}
