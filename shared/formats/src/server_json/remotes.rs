//! The rules for one remote (the URL of a remote server) in a server description, and what is needed to probe the
//! remote. Any client may connect to this URL, so it must be https and must not point to the client's own machine.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use super::fields::{items, text};
use super::template;
use super::violation::Violations;
use registry_model::Reach;
use registry_model::error::shorten;
use registry_model::protocol::MAX_URL_BYTES;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remote {
    pub transport: Transport,
    /// With the values of its variables; a `templated` one has `{variables}` without a value.
    pub url: String,
    /// Only a user can complete the URL, so it cannot be probed.
    pub templated: bool,
    /// Names of required headers without a value; without these secrets it cannot be probed.
    pub secret_headers: Vec<String>,
}

impl Remote {
    /// The URL with a placeholder for each variable.
    pub fn filled_in(&self) -> Cow<'_, str> {
        match template::filled_in(&self.url) {
            Some(url) if self.templated => url.into(),
            _ => self.url.as_str().into(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
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
            let message = format!(
                "\"{}\" is not allowed as the transport of a remote server. Use streamable-http or sse.",
                shorten(other, 40)
            );
            return violations.add(format!("{path}.type"), "unsupported-remote-transport-type", message);
        }
        None => return,
    }
    let Some(url) = text(remote.get("url")) else {
        let message = "Add the URL of the server, such as https://example.com/mcp.";
        return violations.add(at, "remote-transport-url-required", message);
    };
    let declared = remote.get("variables").and_then(Value::as_object);
    // A URL that is too long by itself has that fault already.
    let fault = fault(&template::with_values(url, declared), reach).filter(|_| url.len() <= MAX_URL_BYTES);
    if let Some(fault) = fault {
        violations.add(at.clone(), "invalid-remote-url", format!("\"{}\" {fault}.", shorten(url, 120)));
    }
    let mut unknown = template::variables(url);
    unknown.retain(|name| !declared.is_some_and(|variables| variables.contains_key(*name)));
    if !unknown.is_empty() {
        let unknown = shorten(&unknown.join(", "), 120);
        let message =
            format!("The URL uses these variables: {unknown}. Declare them in `variables` of this entry.");
        violations.add(at, "invalid-templated-url", message);
    }
}

/// Why clients of other people could not use the URL of a remote.
fn fault(url: &str, reach: Reach) -> Option<&'static str> {
    let Some(parsed) = template::parsed(url) else {
        return Some("is not a URL that begins with https://");
    };
    match reach {
        _ if url.len() > MAX_URL_BYTES => Some("is longer than 2048 bytes with the values of its variables"),
        Reach::Development => None,
        Reach::Public if template::is_local(&parsed) => {
            Some("is an address on the machine of the client: write the public URL")
        }
        Reach::Public if parsed.scheme() != "https" => Some("must begin with https://"),
        Reach::Public => None,
    }
}

/// The stored parts of a valid remote.
pub fn remote(remote: &Value) -> Option<Remote> {
    let transport = match text(remote.get("type"))? {
        "streamable-http" => Transport::StreamableHttp,
        "sse" => Transport::Sse,
        _ => return None,
    };
    let variables = remote.get("variables").and_then(Value::as_object);
    let url = template::with_values(text(remote.get("url"))?, variables);
    let is_secret = |header: &&Value| header["isRequired"] == true && !has_value(header);
    let secret = items(remote.get("headers")).filter(is_secret).filter_map(|header| text(header.get("name")));
    let secret_headers = secret.map(|name| shorten(name, 100)).collect();
    Some(Remote { transport, templated: !template::variables(&url).is_empty(), url, secret_headers })
}

/// Whether a header's value follows from the document alone: each of its variables has a value of its own.
fn has_value(header: &Value) -> bool {
    let has_own_value = |name: &str| template::own_value(&header["variables"][name]).is_some();
    template::own_value(header).is_some_and(|value| template::variables(value).into_iter().all(has_own_value))
}
