use super::*;
use registry_model::ParameterType;

fn adder() -> Tool {
    let parameter = |name: &str, value, required| ToolParameter { name: name.to_owned(), value, required };
    let parameters = vec![
        parameter("a", ParameterType::Number, true),
        parameter("b", ParameterType::Array, true),
        parameter("digits", ParameterType::Integer, false),
    ];
    Tool { name: "add".to_owned(), parameters, ..Tool::default() }
}

#[test]
fn required_arguments_are_placeholders_with_their_types() {
    let call = mcp("https://a.example.org/mcp", "2026-07-28", Some(&adder()), true);
    let body = call.request.body.unwrap();
    assert_eq!(body["params"]["arguments"], json!({ "a": "<number: a>", "b": "<array: b>" }));
    assert!(call.note.starts_with("Replace every placeholder"), "{}", call.note);
    let bare = Tool { parameters: Vec::new(), ..adder() };
    let call = mcp("https://a.example.org/mcp", "2026-07-28", Some(&bare), true);
    assert!(call.note.starts_with("Fill in"), "{}", call.note);
}

#[test]
fn tool_call_uses_the_protocol_revision_of_the_server() {
    let tool = Tool { name: "add".to_owned(), ..Tool::default() };
    let modern = mcp("https://a.example.org/mcp", "2026-07-28", Some(&tool), true);
    assert!(modern.before.is_empty());
    assert_eq!(modern.request.headers["mcp-name"], "add");
    assert_eq!(modern.request.headers["mcp-method"], "tools/call");
    let body = modern.request.body.unwrap();
    assert_eq!(body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    let legacy = mcp("https://a.example.org/mcp", "2025-06-18", Some(&tool), true);
    assert_eq!(legacy.before[0].body.as_ref().unwrap()["method"], "initialize");
    assert_eq!(legacy.request.headers["mcp-protocol-version"], "2025-06-18");
    assert_eq!(legacy.request.body.unwrap()["params"], json!({ "name": "add", "arguments": {} }));
    for (revision, has_tools, method) in [
        ("2025-06-18", true, "tools/list"),
        ("2025-06-18", false, "initialize"),
        ("2026-07-28", false, "server/discover"),
    ] {
        let listed = mcp("https://a.example.org/mcp", revision, None, has_tools);
        assert_eq!(listed.request.body.unwrap()["method"], method);
    }
}

#[test]
fn message_has_the_form_of_the_proven_a2a_version() {
    let sent = |version: &str| a2a("https://a.example.org/rpc", version, "m", "Hi.").request;
    assert_eq!(sent("1.0").body.unwrap()["method"], "SendMessage");
    assert_eq!(sent("1.0").headers["a2a-version"], "1.0");
    assert_eq!(sent("0.3").body.unwrap()["method"], "message/send");
    assert!(!sent("0.3").headers.contains_key("a2a-version"));
    let rest = a2a_rest("https://a.example.org/x", "0.3", "m", "Hi.").unwrap();
    assert_eq!(rest.request.url, "https://a.example.org/x/v1/message:send");
    assert_eq!(a2a_rest("not a URL", "1.0", "m", "Hi."), None);
    let tenant = "https://a.example.org/x#tenant=t";
    let (rpc, rest) = (a2a(tenant, "1.0", "m", "Hi."), a2a_rest(tenant, "1.0", "m", "Hi.").unwrap());
    assert_eq!(rpc.request.body.unwrap()["params"]["tenant"], "t");
    assert_eq!(rpc.request.url, "https://a.example.org/x");
    assert_eq!(rest.request.url, "https://a.example.org/x/t/message:send");
}
