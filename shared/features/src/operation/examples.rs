//! The values that documents publish as examples. A value that everybody knows is no secret.

use serde_json::{Value, json};

use crate::DESCRIPTIONS;
use registry_model::error::{Code, Problem};

/// An example of an argument that the example of its operation does not contain. Arguments of the same name have the same
/// meaning in every operation. `None` for values that another call returns, such as cursors and tokens.
pub fn argument_example(name: &str) -> Option<Value> {
    Some(match name {
        "after" => json!("add"),
        "agent_card_url" => json!("https://agent.example.com/.well-known/agent-card.json"),
        "url" => json!("https://agent.example.com"),
        "agent_name" => json!("travel planner"),
        "body" => json!("Answered within a second."),
        "category" => json!("data-analytics"),
        "claims" | "proof" => json!({}),
        "contact" | "contact_email" => json!("me@example.org"),
        "description" => json!("Plans trips and books trains."),
        "detail" => json!("Asked for the forecast of Monday."),
        "goals" => json!(["Book a train"]),
        "index" => json!(42),
        "listing_b" => json!("mcp-com-example-weather"),
        "from" | "listing_id" => json!("agtpub_0123456789abcdef0123"),
        "max_hours" => json!(24),
        "mcp_url" => json!("https://server.example.com/mcp"),
        "name" => json!("weather"),
        "public_jwk" => {
            json!({ "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" })
        }
        "q" => json!("weather"),
        "server_json" => {
            json!({
                "name": "com.example/weather", "description": "Weather forecasts.", "version": "1.0.0",
                "remotes": [{ "type": "streamable-http", "url": "https://server.example.com/mcp" }],
            })
        }
        "since" => json!("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        "skill" => json!("forecast"),
        "skills" => json!(["forecast"]),
        "source" => json!("web search"),
        "step_action" => json!("called"),
        "subject" => json!("agtpub_0123456789abcdef0123"),
        "tags" => json!(["weather"]),
        "tool" => json!("get_forecast"),
        "tools" => json!(["get_forecast"]),
        _ => return None,
    })
}

/// Whether the example of an operation contains this value.
pub fn contain(value: &str) -> bool {
    let quoted = format!("\"{value}\"");
    DESCRIPTIONS.iter().any(|entry| entry.example.contains(&quoted))
}

/// 422 if the secret in `field` is an example.
pub(crate) fn refuse(field: &'static str, secret: Option<&str>) -> Result<(), Problem> {
    if !secret.is_some_and(|secret| contain(secret.trim())) {
        return Ok(());
    }
    let detail = format!(
        "`{field}` is the example of the documents, which everybody knows. Make a new random value, such as a UUID of \
         version 4."
    );
    Err(Problem::invalid(field, Code::PublishedExample, detail))
}
