//! Tests publish bodies with invalid fields. Each refusal names the field.

use serde_json::{Value, json};
use tests::peers::agents;
use tests::test_registry::{TestOptions, TestRegistry};

use super::refusals::refusals;

const URL: &str = "https://agent.example.org/agent-card.json";

async fn refused_bodies<const N: usize>(bodies: [(String, Value); N]) -> String {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    refusals(&registry, bodies).await
}

/// A valid body with one field set.
fn body_with(field: &str, value: &Value) -> (String, Value) {
    let mut body = json!({ "url": URL });
    body[field] = value.clone();
    (format!("{field}: {value}"), body)
}

fn named(what: &str, body: Value) -> (String, Value) {
    (what.to_owned(), body)
}

#[tokio::test]
async fn body_must_contain_a_url_or_a_description() {
    let refused = refused_bodies([
        named("nothing", json!({})),
        named("only a name", json!({ "name": "Adder", "contact_email": "a@example.org" })),
        named("unknown fields only", json!({ "uri": URL })),
    ])
    .await;
    insta::assert_snapshot!(refused, @r#"
    422 nothing_to_list `url`: The request does not say what to publish. Send a JSON body with `url` (for example {"url": "https://your.host/.well-known/agent-card.json"}), `agent_card_url` or `mcp_url`. Or send a server description (server.json) as the body.
      `nothing`
      `only a name`
      `unknown fields only`
    "#);
}

#[tokio::test]
async fn body_must_be_an_object() {
    let refused = refused_bodies([
        named("a list", json!([URL])),
        named("a text", json!(URL)),
        named("null", json!(null)),
        named("a number", json!(7)),
    ])
    .await;
    insta::assert_snapshot!(refused, @"
    400 malformed `-`: The arguments must be a JSON object.
      `a list`
      `a text`
      `null`
      `a number`
    ");
}

#[tokio::test]
async fn field_must_have_its_type() {
    let refused = refused_bodies([
        body_with("url", &json!(5)),
        body_with("url", &json!([URL])),
        body_with("url", &json!({ "href": URL })),
        body_with("server_json", &json!("a text")),
        body_with("name", &json!({ "en": "Adder" })),
    ])
    .await;
    insta::assert_snapshot!(refused, @r#"
    422 invalid_argument `url`: `url`: invalid type: integer `5`, expected a string.
      `url: 5`
    422 invalid_argument `url`: `url`: invalid type: sequence, expected a string.
      `url: ["https://agent.example.org/agent-card.json"]`
    422 invalid_argument `url`: `url`: invalid type: map, expected a string.
      `url: {"href":"https://agent.example.org/agent-card.json"}`
    422 invalid_argument `server_json`: `server_json`: invalid type: string "a text", expected a map.
      `server_json: "a text"`
    422 invalid_argument `name`: `name`: invalid type: map, expected a string.
      `name: {"en":"Adder"}`
    "#);
}

#[tokio::test]
async fn one_request_can_list_only_one_thing() {
    let refused = refused_bodies([
        named(
            "two things at once",
            json!({ "agent_card_url": URL, "mcp_url": "https://agent.example.org/mcp" }),
        ),
        body_with("server_json", &json!({ "name": "org.example/adder" })),
    ])
    .await;
    insta::assert_snapshot!(refused, @r#"
    422 one_at_a_time `url`: Send only one of these: `agent_card_url`, `mcp_url`, `url`, or a server description.
      `two things at once`
      `server_json: {"name":"org.example/adder"}`
    "#);
}

#[tokio::test]
async fn card_and_server_urls_follow_the_same_rules() {
    let refused = refused_bodies([
        body_with("agent_card_url", &json!("http://agent.example.org/")),
        body_with("mcp_url", &json!("https://10.0.0.1/mcp")),
    ])
    .await;
    insta::assert_snapshot!(refused, @r#"
    422 not_https `agent_card_url`: `agent_card_url`: Only https URLs are accepted. Serve the card or endpoint over https, and send the https URL.
      `agent_card_url: "http://agent.example.org/"`
    422 ip_literal `mcp_url`: `mcp_url`: The host is an IP address. Give a URL with a public host name.
      `mcp_url: "https://10.0.0.1/mcp"`
    "#);
}

#[tokio::test]
async fn names_and_sources_are_plain_text_of_limited_length() {
    let refused = refused_bodies([
        body_with("name", &json!("")),
        body_with("name", &json!("x".repeat(121))),
        body_with("name", &json!("a\u{7}b")),
        body_with("name", &json!("safe\u{202e}cod.exe")),
        body_with("source", &json!("x".repeat(201))),
        body_with("source", &json!("line\nline")),
    ])
    .await;
    insta::assert_snapshot!(refused, @r#"
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
    "#);
}

#[tokio::test]
async fn contact_email_must_be_an_address() {
    let refused = refused_bodies([
        body_with("contact_email", &json!("nobody")),
        body_with("contact_email", &json!("a b@example.org")),
        body_with("contact_email", &json!("a@example.org\r\nBcc: b@example.org")),
        body_with("contact_email", &json!(format!("{}@example.org", "a".repeat(65)))),
    ])
    .await;
    insta::assert_snapshot!(refused, @r#"
    422 bad_email `contact_email`: `contact_email` must be an address such as you@example.com. It is optional.
      `contact_email: "nobody"`
      `contact_email: "a b@example.org"`
    422 control_characters `contact_email`: `contact_email` contains control characters or characters that change the text direction. Send plain text.
      `contact_email: "a@example.org\r\nBcc: b@example.org"`
    422 bad_email `contact_email`: `contact_email` must be an address such as you@example.com. It is optional.
      `contact_email: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@example.org"`
    "#);
}

#[tokio::test]
async fn agent_card_is_not_accepted_instead_of_its_url() {
    let refused =
        refused_bodies([named("an agent card", agents::card_at("Adder", "https://agent.example.org/rpc"))])
            .await;
    insta::assert_snapshot!(refused, @r#"
    422 card_without_its_url `agent_card_url`: The body is an agent card. Send its URL instead: {"agent_card_url": "https://your.host/.well-known/agent-card.json"}.
      `an agent card`
    "#);
}
