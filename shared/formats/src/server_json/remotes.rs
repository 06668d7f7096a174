//! The rules about one remote of a server, and what it takes to probe it. Other people's clients connect to a remote,
//! so it must be https and never the reader's own machine.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use super::fields::{list, text};
use super::template;
use super::violation::Violations;
use registry_model::Reach;
use registry_model::error::shorten;

/// One remote of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remote {
    /// Its transport.
    pub transport: Transport,
    /// Its address; with `{variables}` where it is `templated`.
    pub url: String,
    /// Only a user can complete the address: it cannot be probed.
    pub templated: bool,
    /// Names of required headers that have no value: it cannot be probed without a secret.
    pub secret_headers: Vec<String>,
}

impl Remote {
    /// Its address with a stand-in for each variable.
    #[must_use]
    pub fn filled_in(&self) -> Cow<'_, str> {
        match template::filled_in(&self.url) {
            Some(url) if self.templated => url.into(),
            _ => self.url.as_str().into(),
        }
    }
}

/// The transport of a remote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// Streamable HTTP.
    StreamableHttp,
    /// The deprecated HTTP+SSE of 2024-11-05.
    Sse,
}

/// Checks one remote; in development http and loopback are allowed.
pub(super) fn check(path: &str, remote: &Value, reach: Reach, violations: &mut Violations) {
    let at = format!("{path}.url");
    match text(remote.get("type")) {
        Some("streamable-http" | "sse") => {}
        Some(other) => {
            violations.add(
                format!("{path}.type"),
                "unsupported-remote-transport-type",
                format!(
                    "\"{}\" is no transport of remotes; it may be streamable-http or sse.",
                    shorten(other, 40)
                ),
            );
            return;
        }
        None => return,
    }
    let Some(url) = text(remote.get("url")) else {
        violations.add(
            at,
            "remote-transport-url-required",
            "Name the address of the server, such as https://example.com/mcp.",
        );
        return;
    };
    if let Some(fault) = fault(url, reach) {
        violations.add(at.clone(), "invalid-remote-url", format!("\"{}\" {fault}.", shorten(url, 120)));
    }
    let declared = remote.get("variables").and_then(Value::as_object);
    let unknown: Vec<&str> = template::variables(url)
        .into_iter()
        .filter(|name| !declared.is_some_and(|variables| variables.contains_key(*name)))
        .collect();
    if !unknown.is_empty() {
        violations.add(
            at,
            "invalid-templated-url",
            format!(
                "Declare in `variables` of this remote what its address refers to: {}.",
                shorten(&unknown.join(", "), 120)
            ),
        );
    }
}

/// Why strangers' clients could not use the address of a remote.
fn fault(url: &str, reach: Reach) -> Option<&'static str> {
    let Some(parsed) = template::parsed(url) else {
        return Some("is no address that begins with https://");
    };
    match reach {
        Reach::Development => None,
        Reach::Public if template::is_local(&parsed) => {
            Some("is the reader's own machine: name the public address")
        }
        Reach::Public if parsed.scheme() != "https" => Some("must begin with https://"),
        Reach::Public => None,
    }
}

/// What is kept of a remote that holds to every rule; `None` for what is none.
pub(super) fn read(remote: &Value) -> Option<Remote> {
    let transport = match text(remote.get("type"))? {
        "streamable-http" => Transport::StreamableHttp,
        "sse" => Transport::Sse,
        _ => return None,
    };
    let url = text(remote.get("url"))?;
    Some(Remote {
        transport,
        url: url.to_owned(),
        templated: !template::variables(url).is_empty(),
        secret_headers: list(remote.get("headers"))
            .filter(|header| {
                header.get("isRequired").and_then(Value::as_bool) == Some(true) && !has_value(header)
            })
            .filter_map(|header| text(header.get("name")))
            .map(|name| shorten(name, 100))
            .collect(),
    })
}

/// True for a header whose value follows from the document alone.
fn has_value(header: &Value) -> bool {
    let Some(value) = ["value", "default"].iter().find_map(|field| text(header.get(*field))) else {
        return false;
    };
    let variables = header.get("variables").and_then(Value::as_object);
    template::variables(value).into_iter().all(|name| is_given(variables, name))
}

/// True for a variable that has a value of its own.
fn is_given(variables: Option<&Map<String, Value>>, name: &str) -> bool {
    let variable = variables.and_then(|variables| variables.get(name));
    variable
        .is_some_and(|variable| ["value", "default"].iter().any(|field| text(variable.get(*field)).is_some()))
}
