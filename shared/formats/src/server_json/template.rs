//! URLs with `{variables}`, which `server.json` allows for packages and remotes. For validation, each
//! variable is replaced by a placeholder value, as in the official registry.

use serde_json::{Map, Value};
use url::{Host, Url};

use super::fields::text;
use registry_model::protocol::MAX_URL_BYTES;

/// The names of the variables, in order.
pub(super) fn variables(url: &str) -> Vec<&str> {
    url.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
        .filter(|name| !name.is_empty())
        .collect()
}

/// The text with each variable that has a value of its own, which a client uses unless its user gives another. A value is not
/// searched for variables, and a text that became too long stays as it is: a few values in each other could fill the memory.
pub(super) fn with_values(url: &str, variables: Option<&Map<String, Value>>) -> String {
    let value_of = |name: &str| variables?.get(name).and_then(own_value);
    let (mut filled, mut rest) = (String::with_capacity(url.len()), url);
    while filled.len() <= MAX_URL_BYTES
        && let Some((before, after)) = rest.split_once('{')
    {
        filled.push_str(before);
        let known = after.split_once('}').and_then(|(name, after)| Some((value_of(name)?, after)));
        let (text, after) = known.unwrap_or(("{", after));
        filled.push_str(text);
        rest = after;
    }
    filled + rest
}

/// The value or the default of a variable or header.
pub(super) fn own_value(input: &Value) -> Option<&str> {
    ["value", "default"].iter().find_map(|field| text(input.get(*field)))
}

/// The text with a placeholder for each variable; `None` where a brace is not closed.
pub(super) fn filled_in(url: &str) -> Option<String> {
    let mut filled = String::with_capacity(url.len());
    let mut rest = url;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (name, after) = after.split_once('}')?;
        let in_port = before.ends_with(':') && (after.is_empty() || after.starts_with('/'));
        filled.push_str(match name {
            _ if in_port => "8080",
            "protocol" | "scheme" => "http",
            _ => "placeholder",
        });
        rest = after;
    }
    filled.push_str(rest);
    Some(filled)
}

/// The URL with placeholders; `None` where that is not an http or https URL.
pub(super) fn parsed(url: &str) -> Option<Url> {
    Url::parse(&filled_in(url)?)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some())
}

/// Whether a URL means the reader's own machine.
pub(crate) fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
        None => false,
    }
}

#[cfg(test)]
mod tests;
