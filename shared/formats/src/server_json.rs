//! Server descriptions (`server.json`) by the official registry's schema of 2025-12-11 and its rules beyond it. Every
//! violation is reported at once with the official code, so that its author can fix the document in one pass.

mod fields;
mod older;
mod packages;
mod remotes;
mod rules;
mod schema;
mod template;
mod version;
mod violation;

use serde::Serialize;
use serde_json::{Map, Value};

pub use remotes::{Remote, Transport};
pub use rules::is_name;
pub use version::is_version;
pub use violation::Violation;

use fields::{list, text};
use registry_model::Reach;
use violation::Violations;

/// The most JSON values in a description, beside `_meta`; the largest found in the wild has 158.
const MOST_VALUES: usize = 5000;

/// What the registry keeps of a server description; lengths are bounded by the schema, and those of addresses by a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerDescription {
    /// The server's name, such as `io.github.user/weather`.
    pub name: String,
    /// What it does, at most 100 characters.
    pub description: String,
    /// Its version.
    pub version: String,
    /// Its display name.
    pub title: Option<String>,
    /// A page about it (https).
    pub website_url: Option<String>,
    /// Its source, at GitHub or GitLab.
    pub repository_url: Option<String>,
    /// Where in its source it lies.
    pub repository_subfolder: Option<String>,
    /// Its HTTP endpoints, in the document's order.
    pub remotes: Vec<Remote>,
    /// How many packages it offers to run it locally.
    pub packages: usize,
}

/// Reads a server description, also one wrapped as the registry API returns it (`{server, _meta}`).
///
/// # Errors
/// Every rule it breaks (official registry, `internal/validators`), each at its place; never an empty list.
pub fn read(document: &Value, reach: Reach) -> Result<ServerDescription, Vec<Violation>> {
    let document = unwrapped(document);
    let mut violations = Violations::default();
    let Value::Object(server) = document else {
        violations.add("", "schema", "A server description is a JSON object.");
        return Err(violations.into_vec());
    };
    if values(server) > MOST_VALUES {
        let message =
            format!("It holds more than {MOST_VALUES} values: describe one server, without its data.");
        violations.add("", "too-large", message);
        return Err(violations.into_vec());
    }
    older::check(server, &mut violations);
    rules::check(server, reach, &mut violations);
    schema::check(document, &mut violations);
    if violations.is_empty() { Ok(taken(server)) } else { Err(violations.into_vec()) }
}

/// True for a body that was meant as a server description: it names no URL to list, and has what only such a
/// document has (contract "Endpoints": "A server description document is also accepted as the body").
#[must_use]
pub fn looks_like(document: &Map<String, Value>) -> bool {
    if let Some(Value::Object(server)) = document.get("server") {
        return !document.contains_key("url") && looks_like(server);
    }
    let has = |field: &str| document.contains_key(field);
    let foreign =
        ["url", "agent_card_url", "mcp_url", "supportedInterfaces", "skills"].iter().any(|field| has(field));
    let marked = ["$schema", "packages", "remotes", "version_detail"].iter().any(|field| has(field));
    !foreign && (marked || (has("name") && has("description") && has("version")))
}

/// The description inside the registry API's wrapping, where there is one.
fn unwrapped(document: &Value) -> &Value {
    match document.get("server") {
        Some(server @ Value::Object(_)) if document.get("name").is_none() => server,
        _ => document,
    }
}

/// How many values a description holds beside `_meta`, which nothing here looks into.
fn values(server: &Map<String, Value>) -> usize {
    fn inside(value: &Value) -> usize {
        1 + match value {
            Value::Array(items) => items.iter().map(inside).sum(),
            Value::Object(members) => members.values().map(inside).sum(),
            _ => 0,
        }
    }
    server.iter().filter(|(name, _)| *name != "_meta").map(|(_, value)| inside(value)).sum()
}

/// What is kept of a document that holds to every rule.
fn taken(server: &Map<String, Value>) -> ServerDescription {
    ServerDescription {
        name: text(server.get("name")).unwrap_or_default().to_owned(),
        description: text(server.get("description")).unwrap_or_default().to_owned(),
        version: text(server.get("version")).unwrap_or_default().to_owned(),
        title: text(server.get("title")).map(str::to_owned),
        website_url: text(server.get("websiteUrl")).map(str::to_owned),
        repository_url: server
            .get("repository")
            .and_then(|repository| text(repository.get("url")))
            .map(str::to_owned),
        repository_subfolder: server
            .get("repository")
            .and_then(|repository| text(repository.get("subfolder")))
            .map(str::to_owned),
        remotes: list(server.get("remotes")).filter_map(remotes::read).collect(),
        packages: list(server.get("packages")).count(),
    }
}

#[cfg(test)]
mod tests;
