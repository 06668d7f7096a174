//! The registry's own agent card, in two cuts of one piece: wide, with the contract's fields and those that older
//! readers need, and strict, with what the A2A 1.0 schema knows. Skills are what the catalogue can do, no more.

use bytes::Bytes;
use serde_json::{Value, json};

use super::document::{Document, DocumentRequest, NoQuery};
use crate::app::App;
use crate::cache::CacheValidator;
use crate::error::Problem;
use crate::intent;
use crate::operations::{AnyOperation, CATALOGUE};
use crate::settings::Settings;
use crate::trust::{card_signature, keys};

/// Seconds for which a card may be shown again without asking.
const KEPT_S: u32 = 3600;

/// The wide card.
#[derive(Debug)]
pub(super) struct AgentCard;

impl Document for AgentCard {
    const PATHS: &'static [&'static str] = &["/.well-known/agent-card.json", "/.well-known/agent.json"];
    const MAX_AGE_S: Option<u32> = Some(KEPT_S);
    type Query = NoQuery;

    fn cache_validator(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Option<CacheValidator>, Problem> {
        Ok(Some(validator(app, "agent-card-wide")))
    }

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        signed(app, |card| card).await
    }
}

/// The strict card.
#[derive(Debug)]
pub(super) struct StrictAgentCard;

impl Document for StrictAgentCard {
    const PATHS: &'static [&'static str] = &["/api/a2a/.well-known/agent-card.json"];
    const MAX_AGE_S: Option<u32> = Some(KEPT_S);
    type Query = NoQuery;

    fn cache_validator(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Option<CacheValidator>, Problem> {
        Ok(Some(validator(app, "agent-card-strict")))
    }

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        signed(app, |card| card_signature::projection(&card)).await
    }
}

/// A card is rendered and signed once per process: neither it nor its key changes while a process lives.
fn validator(app: &App, name: &str) -> CacheValidator {
    let settings = &app.settings;
    CacheValidator::weak(&format!("{name}/{}/{}/{}", crate::VERSION, settings.base_url, settings.brand))
}

async fn signed(app: &App, cut: impl Fn(Value) -> Value) -> Result<Bytes, Problem> {
    let settings = &app.settings;
    let key = keys::signing(app).await?;
    let card = card_signature::signed(cut(card(settings)), &key, &settings.url("/.well-known/jwks.json"))?;
    Ok(Bytes::from(card.to_string()))
}

/// The card without its signature.
fn card(settings: &Settings) -> Value {
    let endpoint = settings.url("/api/a2a");
    let interface = |binding: &str, version: &str| json!({ "url": endpoint, "protocolBinding": binding, "protocolVersion": version });
    json!({
        "name": settings.brand,
        "description": "A public registry of A2A agents and MCP servers in which every Live row has answered a real \
            protocol handshake within seven days, with the evidence shown. List yourself with one request, find \
            Live peers, and check whether one is clean and alive.",
        "url": endpoint,
        "version": crate::VERSION,
        "protocolVersion": "1.0",
        "preferredTransport": "JSONRPC",
        "documentationUrl": settings.url("/discovery.json"),
        "iconUrl": settings.url("/badge/agent.svg"),
        "provider": { "organization": settings.brand, "url": settings.base_url },
        "supportedInterfaces": [interface("JSONRPC", "1.0"), interface("HTTP+JSON", "1.0"), interface("JSONRPC", "0.3")],
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
        "skills": CATALOGUE.iter().copied().flat_map(skills).chain([door_skill()]).collect::<Vec<_>>(),
        "authentication": { "schemes": ["none"] },
        "protocols": ["a2a", "rest", "mcp", "json-rpc"],
    })
}

/// The skills of one operation, each with the requests in plain words that lead to it.
fn skills(entry: &'static AnyOperation) -> impl Iterator<Item = Value> {
    let examples: Vec<String> = entry.phrases.iter().map(|phrase| intent::filled(phrase)).collect();
    entry.skills.iter().map(move |skill| {
        json!({
            "id": skill.id,
            "name": skill.name,
            "description": skill.description,
            "tags": skill.tags,
            "examples": examples,
            "inputModes": ["text/plain", "application/json"],
            "outputModes": ["text/plain", "application/json"],
        })
    })
}

/// The A2A endpoint itself, which the contract counts among the skills.
fn door_skill() -> Value {
    json!({
        "id": "a2a-rpc",
        "name": "A2A door",
        "description": "Takes messages in A2A 1.0, 0.3 and 0.2: plain text, or a data part that names an operation.",
        "tags": ["a2a", "json-rpc", "message"],
        "examples": ["help", "{\"operation\": \"search_active\", \"arguments\": {\"kind\": \"agent\"}}"],
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::settings::{Mode, Settings};

    /// Skill ids of the contract whose operation is still to come; an id leaves this list with its operation.
    const TO_COME: &[&str] = &["openapi-map", "dual-publish", "open-catalog", "mirror-official"];

    /// How many skill ids the contract has ("Agent card").
    const IN_THE_CONTRACT: usize = 47;

    #[test]
    fn a_skill_is_advertised_when_its_operation_works() {
        let card = card(&Settings::from_env(Mode::Public, |_| None).unwrap());
        let advertised: BTreeSet<&str> =
            card["skills"].as_array().unwrap().iter().map(|skill| skill["id"].as_str().unwrap()).collect();
        let to_come: BTreeSet<&str> = TO_COME.iter().copied().collect();
        assert!(advertised.is_disjoint(&to_come), "what works is no longer to come");
        assert_eq!(advertised.len() + to_come.len(), IN_THE_CONTRACT);
    }
}
