//! Parses A2A agent cards of the versions 0.2, 0.3, and 1.0, as leniently as their clients do. Each fault is
//! reported with its place and a fix, because only the author of the card can correct it.

mod body;
mod fields;
mod interfaces;
mod likeness;
mod security;
mod skills;
mod violation;

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

pub use body::{document, read_body};
pub use interfaces::{Binding, Dialect, Interface};
pub use likeness::{Lead, OtherDocument};
pub use violation::{CardFault, CardViolation};

use super::limits::{LONGEST_DESCRIPTION, LONGEST_NAME, LONGEST_URL, MAX_WORD_CHARS};
use registry_model::Skill;
use registry_model::error::shorten;
use violation::CardViolations;

/// An agent card, cut to the parts that the registry stores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentCard {
    /// At most [`LONGEST_NAME`] characters; never blank.
    pub name: String,
    /// Empty where the card has none.
    pub description: String,
    pub version: Option<String>,
    /// An absolute http or https URL.
    pub documentation_url: Option<String>,
    /// The provider's site, an absolute http or https URL.
    pub provider_url: Option<String>,
    /// The preferred one first; never empty.
    pub interfaces: Vec<Interface>,
    /// The dialects of the interfaces, each once, in the card's order.
    pub dialects: Vec<Dialect>,
    /// At most [`MAX_SKILLS`] skills.
    pub skills: Vec<Skill>,
    /// Required fields that are missing or have a wrong type, although the agent can be reached.
    pub broken: Vec<CardViolation>,
    /// Faults that only stricter readers reject.
    pub warnings: Vec<CardViolation>,
    /// Every request needs credentials.
    pub authenticated: bool,
}

/// Parses an agent card of any published A2A revision (A2A specification 4.4; 0.3 section 5.5).
///
/// # Errors
/// [`CardFault::NotACard`] for another document. [`CardFault::Invalid`] if no client could reach the agent, because the
/// card has no name, or no interface with a usable URL. Everything else is a warning.
pub fn read(document: &Value) -> Result<AgentCard, CardFault> {
    let card = match document {
        Value::Object(card) if likeness::is_agent_card(document, card) => card,
        _ => return Err(CardFault::NotACard(likeness::of(document))),
    };
    let mut faults = CardViolations::default();
    let mut broken = CardViolations::default();
    let mut warnings = CardViolations::default();

    let name = card.get("name").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if name.is_empty() {
        faults.note("name", "name_missing", card.get("name"), "Add a `name`: a short text.");
    }
    let found = interfaces::read(card);
    if found.usable.is_empty() {
        faults.append(found.violations);
        faults.append(found.broken);
    } else {
        warnings.append(found.violations);
        broken.append(found.broken);
    }
    let card = AgentCard {
        name: shorten(name, LONGEST_NAME),
        description: description(card, &mut broken, &mut warnings),
        version: version(card, &mut broken),
        documentation_url: link(card, "documentationUrl", "documentationUrl", &mut warnings),
        provider_url: provider(card, &mut broken, &mut warnings),
        dialects: dialects(&found.usable),
        interfaces: found.usable,
        skills: skills::read(card, &mut broken, &mut warnings),
        authenticated: security::required(card),
        broken: {
            fields::check(card, &mut broken, &mut warnings);
            broken.into_vec()
        },
        warnings: warnings.into_vec(),
    };
    if faults.is_empty() { Ok(card) } else { Err(CardFault::Invalid(faults.into_vec())) }
}

/// Required in every version; an empty one only gives a warning.
fn description(
    card: &Map<String, Value>,
    broken: &mut CardViolations,
    warnings: &mut CardViolations,
) -> String {
    let value = card.get("description");
    let text = value.and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if text.is_empty() {
        let list = if value.is_some_and(Value::is_string) { warnings } else { broken };
        list.note(
            "description",
            "description_missing",
            value,
            "Describe in one or two sentences what the agent does. The search uses this text.",
        );
    }
    shorten(text, LONGEST_DESCRIPTION)
}

/// Required, as a text; a number is accepted with a fault.
fn version(card: &Map<String, Value>, broken: &mut CardViolations) -> Option<String> {
    let version = match card.get("version") {
        Some(Value::String(text)) if !text.trim().is_empty() => {
            return Some(shorten(text.trim(), MAX_WORD_CHARS));
        }
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    broken.note(
        "version",
        "version_missing",
        card.get("version"),
        "Add the agent's own `version` as a text, such as \"1.0.0\".",
    );
    version
}

/// The provider's URL. The provider is optional; a given one needs a name and a URL.
fn provider(
    card: &Map<String, Value>,
    broken: &mut CardViolations,
    warnings: &mut CardViolations,
) -> Option<String> {
    let value = card.get("provider").filter(|value| !value.is_null())?;
    if !["organization", "url"].iter().all(|field| value[field].is_string()) {
        broken.note(
            "provider",
            "provider_malformed",
            Some(value),
            "Write the provider as {\"organization\": \"...\", \"url\": \"https://...\"}.",
        );
    }
    link(value.as_object()?, "url", "provider.url", warnings)
}

/// An optional link, dropped with a warning where it is not a usable URL.
fn link(of: &Map<String, Value>, field: &str, path: &str, warnings: &mut CardViolations) -> Option<String> {
    let value = of.get(field)?;
    let text = value.as_str().filter(|text| !text.is_empty())?;
    let url = Some(text)
        .filter(|text| text.len() <= LONGEST_URL)
        .and_then(|text| Url::parse(text).ok())
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        // Escaping can make the URL longer than its text.
        .filter(|url| url.as_str().len() <= LONGEST_URL);
    if url.is_none() {
        warnings.note(
            path,
            "url_unusable",
            Some(value),
            "Write an absolute URL, such as https://example.com/docs.",
        );
    }
    url.map(String::from)
}

/// Each dialect once, in the order of the interfaces.
fn dialects(interfaces: &[Interface]) -> Vec<Dialect> {
    let mut known = HashSet::new();
    interfaces.iter().map(|interface| interface.version).filter(|version| known.insert(*version)).collect()
}

#[cfg(test)]
pub(crate) mod tests;
