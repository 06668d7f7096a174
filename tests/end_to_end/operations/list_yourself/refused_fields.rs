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
        body_with("source", &json!("x".repeat(201))),
        body_with("source", &json!("line\nline")),
        body_with("contact_email", &json!("nobody")),
        body_with("contact_email", &json!("a b@example.org")),
        body_with("contact_email", &json!("a@example.org\r\nBcc: b@example.org")),
        body_with("contact_email", &json!(format!("{}@example.org", "a".repeat(65)))),
        named("an agent card", agents::card_at("Adder", "https://agent.example.org/rpc")),
    ];
    insta::assert_snapshot!(refusals(&registry, bodies).await, @r#"
    422 nothing_to_list `url`: The request does not say what to publish. Send a JSON body with `url` (for example {"url": "https://your.host/.well-known/agent-card.json"}), `agent_card_url` or `mcp_url`. Or send a server description (server.json) as the body.
      `nothing`
      `only a name`
      `unknown fields only`
    400 malformed `-`: The arguments must be a JSON object.
      `a list`
      `a text`
      `null`
      `a number`
    422 invalid_argument `url`: `url`: invalid type: integer `5`, expected a string.
      `url: 5`
    422 invalid_argument `server_json`: `server_json`: invalid type: string "a text", expected a map.
      `server_json: "a text"`
    422 one_at_a_time `url`: Send only one of these: `agent_card_url`, `mcp_url`, `url`, or a server description.
      `two things at once`
      `server_json: {"name":"org.example/adder"}`
    422 bad_length `name`: `name` must have 1 to 120 characters. Leave it out if you have no text.
      `name: ""`
      `name: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`
    422 control_characters `name`: `name` contains control characters or characters that change the text direction. Send plain text.
      `name: "a\u0007b"`
      `name: "safe\u{202e}cod.exe"`
    422 bad_length `source`: `source` must have 1 to 200 characters. Leave it out if you have no text.
      `source: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`
    422 control_characters `source`: `source` contains control characters or characters that change the text direction. Send plain text.
      `source: "line\nline"`
    422 bad_email `contact_email`: `contact_email` must be an address such as you@example.com. It is optional.
      `contact_email: "nobody"`
      `contact_email: "a b@example.org"`
    422 control_characters `contact_email`: `contact_email` contains control characters or characters that change the text direction. Send plain text.
      `contact_email: "a@example.org\r\nBcc: b@example.org"`
    422 bad_email `contact_email`: `contact_email` must be an address such as you@example.com. It is optional.
      `contact_email: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@example.org"`
    422 card_without_its_url `agent_card_url`: The body is an agent card. Send its URL instead: {"agent_card_url": "https://your.host/.well-known/agent-card.json"}.
      `an agent card`
    "#);
}
