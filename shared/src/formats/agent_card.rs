//! A2A agent cards of 0.2, 0.3 and 1.0, read as leniently as their clients read them. What is wrong is reported with
//! its place and a fix, because only the card's author can correct it.

#[cfg(test)]
pub(crate) mod arbitrary;
mod body;
mod interfaces;
mod likeness;
mod security;
mod skills;
mod violation;

use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

pub use body::{document, read_body};
pub use interfaces::{Binding, Dialect, Interface};
pub use violation::{CardFault, CardViolation};

use super::limits::{LONGEST_DESCRIPTION, LONGEST_NAME, LONGEST_URL, LONGEST_WORD};
use crate::error::shorten;
use crate::model::Skill;
use violation::CardViolations;

/// An agent card, cut to what the registry keeps of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentCard {
    /// The agent's name, at most [`LONGEST_NAME`] characters; never blank.
    pub name: String,
    /// What it does; empty where the card does not say.
    pub description: String,
    /// The agent's own version.
    pub version: Option<String>,
    /// Its documentation (absolute http or https URL).
    pub documentation_url: Option<String>,
    /// Its provider's site (absolute http or https URL).
    pub provider_url: Option<String>,
    /// Where it is spoken to, preferred first; never empty.
    pub interfaces: Vec<Interface>,
    /// The dialects of the interfaces, each once, in the card's order.
    pub dialects: Vec<Dialect>,
    /// At most [`MOST_SKILLS`] skills.
    pub skills: Vec<Skill>,
    /// Required fields that are missing or of a wrong type, although the agent can be reached.
    pub broken: Vec<CardViolation>,
    /// What a stricter reader would refuse; none of it keeps a client from talking to the agent.
    pub warnings: Vec<CardViolation>,
    /// No request is taken without credentials.
    pub authenticated: bool,
}

/// Reads an agent card of any published A2A revision (A2A specification 4.4; 0.3 section 5.5).
///
/// # Errors
/// [`CardFault::NotACard`] where the document is something else, [`CardFault::Invalid`] where no client could
/// talk to the agent: it has no name, or no interface with a usable URL. Everything else is a warning.
pub fn read(document: &Value) -> Result<AgentCard, CardFault> {
    let card = match document {
        Value::Object(card) if likeness::is_agent_card(card) => card,
        _ => return Err(CardFault::NotACard { seen: likeness::of(document) }),
    };
    let mut faults = CardViolations::default();
    let mut broken = CardViolations::default();
    let mut warnings = CardViolations::default();

    let name = card.get("name").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if name.is_empty() {
        faults.note("name", "name_missing", card.get("name"), "Give the card a `name`: a short text.");
    }
    let found = interfaces::read(card);
    if found.usable.is_empty() {
        faults.append(found.violations);
    } else {
        warnings.append(found.violations);
    }
    let card = AgentCard {
        name: shorten(name, LONGEST_NAME),
        description: description(card, &mut warnings),
        version: version(card, &mut warnings),
        documentation_url: link(card, "documentationUrl", "documentationUrl", &mut warnings),
        provider_url: provider(card, &mut warnings),
        dialects: dialects(&found.usable),
        interfaces: found.usable,
        skills: skills::read(card, &mut broken, &mut warnings),
        broken: broken.into_vec(),
        authenticated: security::required(card),
        warnings: {
            conventions(card, &mut warnings);
            warnings.into_vec()
        },
    };
    if faults.is_empty() { Ok(card) } else { Err(CardFault::Invalid(faults.into_vec())) }
}

/// The description, cut short; a card without one is poorer, but works.
fn description(card: &Map<String, Value>, warnings: &mut CardViolations) -> String {
    let text = card.get("description").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if text.is_empty() {
        warnings.note(
            "description",
            "description_missing",
            card.get("description"),
            "Say in one or two sentences what the agent does: search finds it by these words.",
        );
    }
    shorten(text, LONGEST_DESCRIPTION)
}

/// The agent's version: a text by the specification, a number in some cards.
fn version(card: &Map<String, Value>, warnings: &mut CardViolations) -> Option<String> {
    let version = match card.get("version") {
        Some(Value::String(text)) if !text.trim().is_empty() => {
            return Some(shorten(text.trim(), LONGEST_WORD));
        }
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    warnings.note(
        "version",
        "version_missing",
        card.get("version"),
        "Give the agent's own `version` as a text, such as \"1.0.0\".",
    );
    version
}

/// The provider's URL; 0.2 and 0.3 cards leave the provider out.
fn provider(card: &Map<String, Value>, warnings: &mut CardViolations) -> Option<String> {
    match card.get("provider") {
        None | Some(Value::Null) => None,
        Some(Value::Object(provider)) => link(provider, "url", "provider.url", warnings),
        other => {
            warnings.note(
                "provider",
                "provider_malformed",
                other,
                "Write the provider as {\"organization\": \"...\", \"url\": \"https://...\"}.",
            );
            None
        }
    }
}

/// An optional link, dropped with a warning where a browser could not open it.
fn link(of: &Map<String, Value>, field: &str, path: &str, warnings: &mut CardViolations) -> Option<String> {
    let value = of.get(field).filter(|value| !value.is_null() && value.as_str() != Some(""))?;
    let url = value
        .as_str()
        .filter(|text| text.len() <= LONGEST_URL)
        .and_then(|text| Url::parse(text).ok())
        .filter(|url| matches!(url.scheme(), "http" | "https"));
    if url.is_none() {
        warnings.note(
            path,
            "url_unusable",
            Some(value),
            "Write a whole address, such as https://example.com/docs.",
        );
    }
    url.map(String::from)
}

/// What 1.0 and the official SDKs ask of every card, though an agent can be spoken to without it
/// (working agents of several frameworks have an empty skill list).
fn conventions(card: &Map<String, Value>, warnings: &mut CardViolations) {
    for field in ["defaultInputModes", "defaultOutputModes"] {
        let modes = card.get(field);
        let given = modes.and_then(Value::as_array).is_some_and(|modes| !modes.is_empty());
        if !given {
            warnings.note(
                field,
                "modes_missing",
                modes,
                "List the media types, such as [\"text/plain\", \"application/json\"]; some clients refuse the card.",
            );
        }
    }
    match card.get("capabilities") {
        Some(Value::Object(_)) => {}
        other => warnings.note(
            "capabilities",
            "capabilities_malformed",
            other,
            "Write an object, such as {\"streaming\": false}; the official clients refuse the card otherwise.",
        ),
    }
}

/// Each dialect once, in the order of the interfaces.
fn dialects(interfaces: &[Interface]) -> Vec<Dialect> {
    let mut dialects = Vec::new();
    for interface in interfaces {
        if !dialects.contains(&interface.version) {
            dialects.push(interface.version);
        }
    }
    dialects
}

#[cfg(test)]
mod tests;
