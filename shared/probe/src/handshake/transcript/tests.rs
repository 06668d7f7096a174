use std::time::Duration;

use serde_json::json;

use super::*;
use registry_model::Reach;

fn target(url: &str) -> Target {
    Target::parse(url, Reach::Public).unwrap()
}

#[test]
fn sent_request_is_written_without_keys_and_session_ids() {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let request = Request::post_json(target("https://a.example.org/mcp?key=hidden-key&plain"), &body)
        .with_header("authorization", "Bearer hidden-token")
        .with_header(SESSION_ID, "hidden-session")
        .with_header("mcp-method", "tools/list");
    let sent = Sent::of(&request);
    assert_eq!(sent.kind, StepKind::Tools);
    assert_eq!(
        sent.text,
        "POST https://a.example.org/mcp?key=…&plain=…\naccept: application/json\ncontent-type: \
         application/json\nmcp-method: tools/list\nmcp-session-id: …\n\n\
         {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"
    );
}

#[test]
fn answer_is_written_with_its_redirect_and_cut() {
    let headers = [("content-type", "text/html"), ("set-cookie", "hidden"), (SESSION_ID, "hidden")];
    let headers = headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
    let answer = Answer {
        status: http::StatusCode::NOT_FOUND,
        headers: HeaderMap::from_iter(headers),
        body: "x".repeat(MAX_BODY_BYTES + 1).into(),
        target: target("https://a.example.org/login"),
        elapsed: Duration::from_millis(12),
        truncated: false,
    };
    let sent = Sent::of(&Request::get(target("https://a.example.org/card.json")));
    let exchange = sent.answered(&answer);
    assert_eq!((exchange.kind, exchange.took_ms), (StepKind::Card, Some(12)));
    let expected = format!(
        "HTTP 404\nfrom https://a.example.org/login, after a redirect\ncontent-type: text/html\n\
         mcp-session-id: …\n\n{}…",
        "x".repeat(MAX_BODY_BYTES)
    );
    assert_eq!(exchange.received, expected);
}

#[test]
fn kind_of_a_request_without_a_method_follows_from_its_path() {
    let task = "https://a.example.org/v1/tasks/0f5c1b52-9d3e-4a7b-a1c2-3d4e5f607182";
    let table = [
        (task, StepKind::Task),
        ("https://a.example.org/tasks/agent-card.json", StepKind::Card),
        ("https://a.example.org/.well-known/oauth-protected-resource/mcp", StepKind::ResourceMetadata),
        ("https://a.example.org/.well-known/oauth-authorization-server", StepKind::AuthorizationServer),
        ("https://a.example.org/.well-known/openid-configuration", StepKind::AuthorizationServer),
    ];
    for (url, kind) in table {
        assert_eq!(Sent::of(&Request::get(target(url))).kind, kind, "{url}");
    }
    let message = Request::post_json(target("https://a.example.org/message:send"), &json!({"message": {}}));
    assert_eq!(Sent::of(&message).kind, StepKind::Message);
}
