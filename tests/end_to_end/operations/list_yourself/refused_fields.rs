//! Tests publish bodies with invalid fields. Each refusal names the field.

use serde_json::{Value, json};
use tests::peers::agents;
use tests::test_registry::{TestOptions, TestRegistry};

use super::refusals::refusals;

const URL: &str = "https://agent.example.org/agent-card.json";

/// A valid body with one field set.
fn body_with(field: &str, value: &Value) -> (String, Value) {
    let mut body = json!({ "url": URL });
    body[field] = value.clone();
    (format!("{field}: {value}"), body)
}

fn named(what: &str, body: Value) -> (String, Value) {
    (what.to_owned(), body)
}

/// What a body must contain, the type of each field, and the rules of texts and addresses.
#[tokio::test]
async fn invalid_body_is_refused_with_its_field_and_rule() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let bodies = [
        named("nothing", json!({})),
        named("only a name", json!({ "name": "Adder", "contact_email": "a@example.org" })),
        named("unknown fields only", json!({ "uri": URL })),
        named("a list", json!([URL])),
        named("a text", json!(URL)),
        named("null", json!(null)),
        named("a number", json!(7)),
        body_with("url", &json!(5)),
        body_with("server_json", &json!("a text")),
        named(
            "two things at once",
            json!({ "agent_card_url": URL, "mcp_url": "https://agent.example.org/mcp" }),
        ),
        body_with("server_json", &json!({ "name": "org.example/adder" })),
        body_with("name", &json!("")),
        body_with("name", &json!("x".repeat(121))),
        body_with("name", &json!("a\u{7}b")),
        body_with("name", &json!("safe\u{202e}cod.exe")),
        body_with("name", &json!("jane@example.org")),
        body_with("source", &json!("x".repeat(201))),
        body_with("source", &json!("line\nline")),
        body_with("contact_email", &json!("nobody")),
        body_with("contact_email", &json!("a b@example.org")),
        body_with("contact_email", &json!("a@example.org\r\nBcc: b@example.org")),
        body_with("contact_email", &json!(format!("{}@example.org", "a".repeat(65)))),
        named("an agent card", agents::card_at("Adder", "https://agent.example.org/rpc")),
    ];
    insta::assert_snapshot!(refusals(&registry, bodies).await);
}
