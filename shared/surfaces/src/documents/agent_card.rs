//! The agent card of this registry in three forms. The wide form has the fields of the specification and the
//! fields that older clients need. The strict form has only the fields in the schema of A2A 1.0. The third
//! form is the wide form with the extension families. The skills come from the catalog of operations.

use super::add_families;
use super::document::Render;
use crate::a2a::intent;
use crate::prelude::*;
use registry_features::trust::{card_signature, keys};
use registry_model::protocol::{A2A_VERSIONS, MCP_ENDPOINT};

pub static AGENT_CARD: AnyDocument = AnyDocument {
    paths: &["/.well-known/agent-card.json", "/.well-known/agent.json"],
    summary: "The A2A agent card of this registry; its members of A2A 1.0 are signed.",
    validator: |app, _| Ok(Some(validator(app, "agent-card-wide"))),
    ..signed_card(|app, _| Box::pin(signed(app, |card| card)))
};

pub static STRICT_AGENT_CARD: AnyDocument = AnyDocument {
    paths: &["/api/a2a/.well-known/agent-card.json"],
    summary: "The same agent card, signed, with only the members of A2A 1.0.",
    validator: |app, _| Ok(Some(validator(app, "agent-card-strict"))),
    ..signed_card(|app, _| Box::pin(signed(app, |card| card_signature::projection(&card))))
};

pub static A2A_CARD: AnyDocument = AnyDocument {
    paths: &["/.well-known/a2a-card.json"],
    summary: "The agent card with the extension families and their URLs, which are not signed.",
    validator: |app, _| Ok(Some(validator(app, "a2a-card"))),
    ..signed_card(|app, _| Box::pin(signed(app, |card| with_families(card, &app.settings))))
};

const fn signed_card(render: Render) -> AnyDocument {
    AnyDocument {
        max_age_s: Some(3600),
        headers_now: |app| Box::pin(async { Ok(last_modified(app).into_iter().collect()) }),
        ..AnyDocument::of::<Map<String, Value>>(render)
    }
}

fn with_families(mut card: Value, settings: &Settings) -> Value {
    card["a2a_card"] = true.into();
    add_families(&mut card, settings);
    card["federation_api"] = settings.url(&super::family_path("federation")).into();
    card["mcp_protocol"] = settings.url(MCP_ENDPOINT).into();
    card["note"] = "The same card as /.well-known/agent-card.json, with the extension families added.".into();
    card
}

/// A card is rendered and signed once per process and day, so that a new key signs it soon.
fn validator(app: &App, name: &str) -> CacheValidator {
    let settings = &app.settings;
    CacheValidator::weak(&format!(
        "{name}/{}/{}/{}/{}",
        registry_model::VERSION,
        settings.base_url,
        settings.brand,
        app.clock.now().utc_day()
    ))
}

/// A card is signed again each day.
fn last_modified(app: &App) -> Option<(&'static str, String)> {
    let now = app.clock.now().as_second();
    let day = jiff::Timestamp::from_second(now - now.rem_euclid(86_400)).ok()?;
    let text = jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&day).ok()?;
    Some(("last-modified", text))
}

async fn signed(app: &App, cut: impl FnOnce(Value) -> Value + Send) -> Result<Bytes, Problem> {
    let settings = &app.settings;
    let key = keys::signing(app).await?;
    let key_set = settings.url("/.well-known/jwks.json");
    let card = card_signature::signed(app, cut(card(settings)), &key, &key_set).await?;
    Ok(Bytes::from(card.to_string()))
}

fn card(settings: &Settings) -> Value {
    let endpoint = settings.url("/api/a2a");
    let [newest, older, _] = A2A_VERSIONS;
    let interface = |binding: &str, version: &str| json!({ "url": endpoint, "protocolBinding": binding, "protocolVersion": version });
    json!({
        "name": settings.brand,
        "description": format!(
            "A public registry of A2A agents and MCP servers in which every Live listing answered a real protocol \
             handshake within {}, with public evidence. You can list yourself with one request, find Live \
             listings, and check whether a listing is clean and alive.",
            counted(settings.recheck_days, "day")
        ),
        "url": endpoint,
        "version": registry_model::VERSION,
        "protocolVersion": newest,
        "preferredTransport": "JSONRPC",
        "documentationUrl": settings.url("/discovery.json"),
        "iconUrl": settings.url("/badge/agent.svg"),
        "provider": { "organization": settings.brand, "url": settings.base_url },
        "supportedInterfaces": [interface("JSONRPC", newest), interface("HTTP+JSON", newest), interface("JSONRPC", older)],
        "capabilities": {
            "streaming": false,
            "pushNotifications": false,
            "stateTransitionHistory": false,
            "extendedAgentCard": false,
            "registry": true,
            "publish": "/api/publish",
            "status": "/api/listings/status",
            "active": "/api/listings/active",
            "mcp": "/api/protocol",
            "discovery": "/discovery.json",
        },
        "defaultInputModes": ["text", "text/plain", "application/json"],
        "defaultOutputModes": ["text", "text/plain", "application/json"],
        "securitySchemes": {
            "none": { "type": "http", "scheme": "none", "httpAuthSecurityScheme": { "scheme": "none" } },
        },
        "securityRequirements": [{}],
        "skills": DESCRIPTIONS.iter().copied().flat_map(skills).chain([endpoint_skill()]).collect::<Vec<_>>(),
        "authentication": { "schemes": ["none"] },
        "protocols": ["a2a", "rest", "mcp", "json-rpc"],
    })
}

fn skills(entry: &'static Description) -> impl Iterator<Item = Value> {
    entry.skills.iter().map(|skill| {
        // The example of a URL is a card, which an MCP server does not have.
        let of_server = |phrase: &str| phrase.replace("server {url}", "server https://mcp.example.com/mcp");
        let examples = entry.examples_of(skill).into_iter().map(|phrase| intent::filled(&of_server(phrase)));
        json!({
            "id": skill.id(),
            "name": skill.name,
            "description": skill.description,
            "tags": skill.tags,
            "examples": examples.collect::<Vec<_>>(),
            "inputModes": ["text/plain", "application/json"],
            "outputModes": ["text/plain", "application/json"],
        })
    })
}

/// The A2A endpoint itself, which is also a skill (`specification.md#agent-skills`).
fn endpoint_skill() -> Value {
    json!({
        "id": "a2a-rpc",
        "name": "A2A endpoint",
        "description": "Accepts messages in A2A 1.0, 0.3 and 0.2: plain text, or a data part that names an operation.",
        "tags": ["a2a", "json-rpc", "message"],
        "examples": ["help", "{\"operation\": \"search_active\", \"arguments\": {\"kind\": \"agent\"}}"],
    })
}
