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

pub use body::document;
pub use interfaces::{Binding, Dialect, Interface};
pub use likeness::{Lead, OtherDocument};
pub use violation::{CardFault, CardViolation};

use super::limits::{LONGEST_DESCRIPTION, LONGEST_NAME, MAX_WORD_CHARS};
use registry_model::Skill;
use registry_model::error::shorten;
use registry_model::protocol::MAX_URL_BYTES;
use violation::{CardViolations, Findings};

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

/// Parses an agent card from the body of a response; a body that is not JSON is [`CardFault::NotACard`].
pub fn read_body(body: &[u8]) -> Result<AgentCard, CardFault> {
    read(&document(body)?)
}

/// Parses an agent card of any published A2A revision (A2A specification 4.4; 0.3 section 5.5).
///
/// # Errors
/// [`CardFault::NotACard`] for another document. [`CardFault::Invalid`] if no client could reach the agent, because the
/// card has no name, or no interface with a usable URL. Everything else is a warning.
pub fn read(document: &Value) -> Result<AgentCard, CardFault> {
    let card = match document {
        Value::Object(card) if likeness::is_agent_card(document, card) => card,
        _ => return Err(CardFault::NotACard(likeness::describe(document))),
    };
    let mut faults = CardViolations::default();
    let name = card.get("name").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if name.is_empty() {
        faults.note("name", ("name_missing", "Add a `name`: a short text."), card.get("name"));
    }
    let mut found = Findings::default();
    let interfaces = interfaces::usable(document, &mut found);
    if interfaces.is_empty() {
        faults.append(std::mem::take(&mut found.warnings));
        faults.append(std::mem::take(&mut found.broken));
    }
    if !faults.is_empty() {
        return Err(CardFault::Invalid(faults.into_vec()));
    }
    let card = AgentCard {
        name: shorten(name, LONGEST_NAME),
        description: description(card, &mut found),
        version: version(card, &mut found),
        documentation_url: link(card, "documentationUrl", "documentationUrl", &mut found),
        provider_url: provider(card, &mut found),
        dialects: dialects(&interfaces),
        interfaces,
        skills: skills::parse(card, &mut found),
        authenticated: security::required(card),
        broken: {
            fields::check(card, &mut found);
            found.broken.into_vec()
        },
        warnings: found.warnings.into_vec(),
    };
    Ok(card)
}

/// Required in every version; an empty one only gives a warning.
fn description(card: &Map<String, Value>, found: &mut Findings) -> String {
    let value = card.get("description");
    let text = value.and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if text.is_empty() {
        let is_text = value.is_some_and(Value::is_string);
        let fix = "Describe in one or two sentences what the agent does. The search uses this text.";
        found.warnings_if(is_text).note("description", ("description_missing", fix), value);
    }
    shorten(text, LONGEST_DESCRIPTION)
}

/// Required, as a text; a number is accepted with a fault.
fn version(card: &Map<String, Value>, found: &mut Findings) -> Option<String> {
    let value = card.get("version");
    if let Some(text) = value.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty()) {
        return Some(shorten(text, MAX_WORD_CHARS));
    }
    let fix = "Add the agent's own `version` as a text, such as \"1.0.0\".";
    found.broken.note("version", ("version_missing", fix), value);
    value.filter(|value| value.is_number()).map(ToString::to_string)
}

/// The provider's URL. The provider is optional; a given one needs a name and a URL.
fn provider(card: &Map<String, Value>, found: &mut Findings) -> Option<String> {
    let value = card.get("provider").filter(|value| !value.is_null())?;
    if !["organization", "url"].iter().all(|field| value[field].is_string()) {
        let fix = "Write the provider as {\"organization\": \"...\", \"url\": \"https://...\"}.";
        found.broken.note("provider", ("provider_malformed", fix), Some(value));
    }
    link(value.as_object()?, "url", "provider.url", found)
}

/// An optional link, dropped with a warning where it is not a usable URL.
fn link(object: &Map<String, Value>, field: &str, path: &str, found: &mut Findings) -> Option<String> {
    let value = object.get(field)?;
    let text = value.as_str().filter(|text| !text.is_empty())?;
    let url = Some(text)
        .filter(|text| text.len() <= MAX_URL_BYTES)
        .and_then(|text| Url::parse(text).ok())
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        // Escaping can make the URL longer than its text.
        .filter(|url| url.as_str().len() <= MAX_URL_BYTES);
    if url.is_none() {
        let fix = "Write an absolute URL, such as https://example.com/docs.";
        found.warnings.note(path, ("url_unusable", fix), Some(value));
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
