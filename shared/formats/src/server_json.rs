//! Parses server descriptions (`server.json`). They must follow the schema of the official registry
//! (2025-12-11) and its other rules. All violations are reported at once with the official codes, so that the
//! author can fix the document in one pass.

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
use serde_json::{Map, Value, json};

pub use remotes::{Remote, Transport, remote};
pub use rules::{is_name, is_name_of_another};
pub use version::is_version;
pub use violation::Violation;

use fields::{items, text};
use registry_model::{Reach, ServerStatus};
pub(crate) use template::is_local;
use violation::Violations;

/// JSON values in a description with the extension of its publisher; the largest known one has 158.
const MAX_VALUES: usize = 5000;
/// Levels of a value. A parser reads 128, and what is stored or shown contains a description on a deeper level.
const MAX_DEPTH: usize = 32;
/// Bytes of a description as compact JSON, which is stored whole; the largest known one has 8 KB.
const MAX_BYTES: usize = 64 * 1024;
/// The key in `_meta` of a registry's answer that has the status of the server.
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

/// The stored parts of a server description; lengths are bounded by the schema and, for URLs, by a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerDescription {
    /// Such as `io.github.user/weather`.
    pub name: String,
    /// At most 100 characters.
    pub description: String,
    pub version: String,
    pub title: Option<String>,
    pub website_url: Option<String>,
    pub repository_url: Option<String>,
    pub repository_subfolder: Option<String>,
    /// The HTTP endpoints, in the document's order.
    pub remotes: Vec<Remote>,
    /// The number of packages to run it locally.
    pub packages: usize,
    /// The description without the `_meta` of registries.
    pub document: Map<String, Value>,
    pub status: ServerStatus,
}

/// Parses a server description, also in the form that the registry API returns (`{server, _meta}`).
///
/// # Errors
/// Every violated rule (official registry, `internal/validators`), each with its place; never an empty list.
pub fn parse_server_json(document: &Value, reach: Reach) -> Result<ServerDescription, Vec<Violation>> {
    let sent = document;
    let document = unwrapped(sent);
    let mut violations = Violations::default();
    let Value::Object(server) = document else {
        violations.add("", "schema", "A server description must be a JSON object.");
        return Err(violations.into_vec());
    };
    let own = rules::without_foreign_meta(server);
    let too_large = if values(&own) > MAX_VALUES {
        Some(format!(
            "It contains more than {MAX_VALUES} JSON values, or more than {MAX_DEPTH} levels. Describe only one server, \
             without its data."
        ))
    } else {
        let bytes = json!(own).to_string().len();
        (bytes > MAX_BYTES)
            .then(|| format!("It has {bytes} bytes, but at most {MAX_BYTES} are allowed. Shorten its texts."))
    };
    if let Some(message) = too_large {
        violations.add("", "too-large", message);
        return Err(violations.into_vec());
    }
    older::check(server, &mut violations);
    rules::check(server, reach, &mut violations);
    schema::check(document, &mut violations);
    let status = status(sent, &mut violations);
    if violations.is_empty() { Ok(description(server, own, status)) } else { Err(violations.into_vec()) }
}

/// Whether a body is meant as a server description: it has no URL to list, and members that only such a
/// document has (`specification.md#publish`: a description may be the whole body).
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

/// The status in the `_meta` of the registry API's wrapper; active without one.
fn status(sent: &Value, violations: &mut Violations) -> ServerStatus {
    let status = sent.get("_meta").and_then(|meta| meta.get(OFFICIAL)).and_then(|meta| meta.get("status"));
    match status.and_then(Value::as_str) {
        Some("deprecated") => ServerStatus::Deprecated,
        Some("deleted") => {
            let message = "A deleted server cannot be published. To remove a listing, use `manage_listing` with the act \
                `withdraw`.";
            violations.add(format!("_meta.{OFFICIAL}.status"), "deleted", message);
            ServerStatus::Active
        }
        _ => ServerStatus::Active,
    }
}

/// The description inside the registry API's wrapper, if there is one.
fn unwrapped(document: &Value) -> &Value {
    match document.get("server") {
        Some(server @ Value::Object(_)) if document.get("name").is_none() => server,
        _ => document,
    }
}

/// The number of values; too many for those on too deep a level.
fn values(server: &Map<String, Value>) -> usize {
    fn inside(value: &Value, level: usize) -> usize {
        1 + match value {
            Value::Array(_) | Value::Object(_) if level == MAX_DEPTH => MAX_VALUES,
            Value::Array(items) => items.iter().map(|item| inside(item, level + 1)).sum(),
            Value::Object(members) => members.values().map(|member| inside(member, level + 1)).sum(),
            _ => 0,
        }
    }
    server.values().map(|value| inside(value, 2)).sum()
}

fn description(
    server: &Map<String, Value>,
    document: Map<String, Value>,
    status: ServerStatus,
) -> ServerDescription {
    let repository = |field: &str| text(server.get("repository")?.get(field)).map(str::to_owned);
    ServerDescription {
        name: text(server.get("name")).unwrap_or_default().to_owned(),
        description: text(server.get("description")).unwrap_or_default().to_owned(),
        version: text(server.get("version")).unwrap_or_default().to_owned(),
        title: text(server.get("title")).map(str::to_owned),
        website_url: text(server.get("websiteUrl")).map(str::to_owned),
        repository_url: repository("url"),
        repository_subfolder: repository("subfolder"),
        remotes: items(server.get("remotes")).filter_map(remote).collect(),
        packages: items(server.get("packages")).count(),
        document,
        status,
    }
}

#[cfg(test)]
mod tests;
