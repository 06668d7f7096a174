use super::*;

#[test]
fn described_messages_of_mcp_are_accepted() {
    let described = jsonschema::validator_for(&request_schema()).unwrap();
    for (name, value) in [
        ("id", json!("a")),
        ("id", json!(i64::MIN)),
        ("id", json!(u64::MAX)),
        ("id", json!(7.0)),
        ("id", json!(1.5)),
        ("id", json!(2f64.powi(64))),
        ("id", json!(null)),
        ("method", json!(7)),
        ("params", json!({})),
        ("params", json!([])),
        ("jsonrpc", json!("1.0")),
    ] {
        let mut message = json!({ "jsonrpc": "2.0", "method": "ping" });
        message[name] = value;
        let is_described = described.is_valid(&message);
        assert_eq!(is_described, Message::of_mcp(message.clone()).is_ok(), "{message}");
    }
}

#[test]
fn error_for_a_malformed_message_of_mcp_has_its_valid_id() {
    let id = |value: Value| Message::of_mcp(value).unwrap_err().id;
    assert_eq!(id(json!({ "id": 7, "method": "ping" })), json!(7));
    assert_eq!(id(json!({ "jsonrpc": "2.0", "id": 7, "method": 3 })), json!(7));
    assert_eq!(id(json!({ "jsonrpc": "2.0", "id": 7, "method": "x", "params": [1] })), json!(7));
    assert_eq!(id(json!({ "jsonrpc": "2.0", "id": 7 })), json!(7));
    assert_eq!(id(json!({ "jsonrpc": "2.0", "id": -7.0 })), json!(-7.0));
    for wrong in [json!(null), json!(1.5), json!(2f64.powi(64)), json!({}), json!([1]), json!(true)] {
        assert_eq!(id(json!({ "jsonrpc": "2.0", "id": wrong, "method": "ping" })), Value::Null);
    }
    assert_eq!(id(json!("ping")), Value::Null);
}
