//! The endpoints of an agent: `supportedInterfaces` of 1.0, or `url` and `additionalInterfaces` in older
//! versions. If a card has both, the 1.0 list takes precedence, as in the official clients.

use serde::Serialize;
use serde_json::Value;
use url::Url;

use super::violation::{CardViolations, Findings};
use crate::server_json::is_local;
use registry_model::error::shorten;
use registry_model::protocol::MAX_URL_BYTES;
use registry_model::string_enum;

const MAX_INTERFACES: usize = 20;
const MAX_TENANT_CHARS: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interface {
    /// An absolute http or https URL; for gRPC the text of the card, such as `host:port`.
    pub url: String,
    pub binding: Binding,
    pub version: Dialect,
    /// The tenant that every request to this interface names (A2A specification 8.3.2, rule 4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

impl Interface {
    /// Whether other machines can reach it over https.
    #[must_use]
    pub fn is_public(&self) -> bool {
        oddity(&self.url).is_none()
    }
}

/// How messages are sent to an agent (A2A specification 5.8, `protocolBinding`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Binding {
    /// JSON-RPC 2.0 over HTTP.
    JsonRpc,
    HttpJson,
    Grpc,
    /// A custom binding, named by a URI.
    Other(String),
}

string_enum! {
    /// The A2A revision whose method names and shapes are used; its word is the version in the `A2A-Version` header.
    pub enum Dialect {
        /// 1.0: `SendMessage`, `GetTask`.
        V1_0 = "1.0",
        /// 0.3: `message/send`, `tasks/get`.
        V0_3 = "0.3",
        /// 0.2 and older, or a card without a version: all of them have `tasks/get`; a message is sent with
        /// `message/send` (from 0.2.0) or `tasks/send`.
        V0_2 = "0.2",
    }
}

impl Dialect {
    /// The dialect of a `protocolVersion`, whatever its patch number; `None` for an unknown version.
    fn from_version(version: &str) -> Option<Self> {
        let mut numbers = version.trim().trim_start_matches('v').split('.');
        match (numbers.next()?, numbers.next()) {
            ("1", _) => Some(Self::V1_0),
            ("0", Some("3")) => Some(Self::V0_3),
            ("0", Some("1" | "2")) => Some(Self::V0_2),
            _ => None,
        }
    }
}

/// The interfaces that a client could use, the preferred first. Faults of the others are warnings.
pub(super) fn usable(card: &Value, found: &mut Findings) -> Vec<Interface> {
    let stated = stated_version(card, &mut found.warnings);
    let mut reader = Reader { usable: Vec::new(), found };
    if let Some(listed) = card.get("supportedInterfaces") {
        reader.add_listed(listed, stated);
    }
    if reader.usable.is_empty() {
        reader.add_older(card, stated);
    }
    if reader.usable.is_empty() {
        let fix = "List the agent's endpoints: [{\"url\": \"https://...\", \"protocolBinding\": \"JSONRPC\", \
                   \"protocolVersion\": \"1.0\"}], or write `url` if the card follows version 0.3.";
        let value = card.get("supportedInterfaces");
        reader.found.warnings.note("supportedInterfaces", ("no_interface", fix), value);
    }
    reader.usable
}

fn stated_version(card: &Value, warnings: &mut CardViolations) -> Option<Dialect> {
    let value = card
        .get("protocolVersion")
        .or_else(|| card.get("protocolVersions").and_then(|versions| versions.get(0)))
        .filter(|value| !value.is_null())?;
    let dialect = value.as_str().and_then(Dialect::from_version);
    if dialect.is_none() {
        let fix = "Write the A2A version of the agent, such as \"0.3.0\" or \"1.0\".";
        warnings.note("protocolVersion", ("protocol_version_unknown", fix), Some(value));
    }
    dialect
}

struct Reader<'f> {
    usable: Vec<Interface>,
    found: &'f mut Findings,
}

impl Reader<'_> {
    /// `supportedInterfaces` of 1.0.
    fn add_listed(&mut self, listed: &Value, stated: Option<Dialect>) {
        let Value::Array(entries) = listed else {
            let fix = "Write a list of {\"url\", \"protocolBinding\", \"protocolVersion\"}.";
            let rule = ("interfaces_malformed", fix);
            return self.found.broken.note("supportedInterfaces", rule, Some(listed));
        };
        for (index, entry) in entries.iter().take(MAX_INTERFACES).enumerate() {
            let path = format!("supportedInterfaces[{index}]");
            let value = entry.get("protocolVersion");
            let version = value.and_then(Value::as_str).map_or(stated, Dialect::from_version);
            if version.is_none() {
                let fix = "Write the A2A version of this interface, such as \"1.0\". Until then, clients read it as 1.0.";
                let rule = ("protocol_version_unknown", fix);
                self.found.warnings.note(format!("{path}.protocolVersion"), rule, value);
            }
            let tenant = entry.get("tenant").and_then(Value::as_str).filter(|tenant| !tenant.is_empty());
            self.add(entry, &path, "protocolBinding", version.unwrap_or(Dialect::V1_0), tenant);
        }
    }

    /// `url` and `additionalInterfaces` of cards before 1.0.
    fn add_older(&mut self, card: &Value, stated: Option<Dialect>) {
        let of_0_3 =
            ["preferredTransport", "additionalInterfaces", "security", "supportsAuthenticatedExtendedCard"];
        let has_0_3 = of_0_3.iter().any(|field| card.get(*field).is_some());
        let by_shape = if has_0_3 { Dialect::V0_3 } else { Dialect::V0_2 };
        // Clients of 1.0 do not read these fields, and older clients call the older methods whatever the version says.
        let dialect = stated.filter(|stated| *stated != Dialect::V1_0).unwrap_or(by_shape);
        // For a transport that they speak, clients take the URL of its entry before that of the card; if neither is
        // usable, no other entry helps them. A transport that they do not know, they pass over.
        let preferred = card.get("preferredTransport").and_then(Value::as_str).unwrap_or("JSONRPC");
        let is_spoken = matches!(preferred, "JSONRPC" | "HTTP+JSON");
        let entries = card.get("additionalInterfaces").and_then(Value::as_array).into_iter().flatten();
        let (first, rest): (Vec<_>, Vec<_>) =
            entries.enumerate().take(MAX_INTERFACES).partition(|(_, entry)| {
                !is_spoken || entry.get("transport").and_then(Value::as_str) == Some(preferred)
            });
        let add_all = |reader: &mut Self, entries: Vec<(usize, &Value)>| {
            for (index, entry) in entries {
                reader.add(entry, &format!("additionalInterfaces[{index}]"), "transport", dialect, None);
            }
        };
        add_all(self, first);
        let is_usable = card.get("url").is_none() || self.add(card, "", "preferredTransport", dialect, None);
        if is_usable && card.get("url").is_some() && stated == Some(Dialect::V1_0) {
            let fix = "The card has version 1.0. Clients of this version read `supportedInterfaces`, so add the \
                       URL to this list, too.";
            self.found.warnings.note("supportedInterfaces", ("interfaces_missing", fix), None);
        }
        if is_usable || !is_spoken {
            add_all(self, rest);
        }
    }

    /// Adds the interface of an entry if a client could use it; `path` is empty for the card itself. False if it is
    /// unusable.
    fn add(
        &mut self,
        entry: &Value,
        path: &str,
        binding_field: &str,
        version: Dialect,
        tenant: Option<&str>,
    ) -> bool {
        let place = |field: &str| if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") };
        let (url, binding) = (entry.get("url"), entry.get(binding_field));
        if binding.map_or(!path.is_empty(), |value| !value.is_string() && !value.is_null()) {
            let fix = "Write the protocol binding: \"JSONRPC\", \"HTTP+JSON\" or \"GRPC\". Until then, the registry \
                       reads it as JSONRPC.";
            self.found.broken.note(place(binding_field), ("binding_missing", fix), binding);
        }
        let binding = binding_of(binding, &place(binding_field), &mut self.found.warnings);
        let text = url.and_then(Value::as_str).map(str::trim).unwrap_or_default();
        let checked = usable_url(text, &binding);
        if let Some(rule) = checked.as_ref().map_or_else(|rule| Some(*rule), |usable| oddity(usable)) {
            self.found.warnings.note(place("url"), rule, url);
        }
        let Ok(url) = checked else { return false };
        let tenant = tenant.map(|tenant| shorten(tenant, MAX_TENANT_CHARS));
        let interface = Interface { url, binding, version, tenant };
        if !self.usable.contains(&interface) {
            self.usable.push(interface);
        }
        true
    }
}

/// The binding by its name; a name that is similar to an official one is accepted with a warning.
fn binding_of(value: Option<&Value>, path: &str, warnings: &mut CardViolations) -> Binding {
    let Some(name) = value.and_then(Value::as_str).map(str::trim).filter(|name| !name.is_empty()) else {
        return Binding::JsonRpc;
    };
    match name {
        "JSONRPC" => return Binding::JsonRpc,
        "HTTP+JSON" => return Binding::HttpJson,
        "GRPC" => return Binding::Grpc,
        uri if uri.contains("://") || uri.starts_with("urn:") => return Binding::Other(shorten(uri, 200)),
        _ => {}
    }
    let fix = "Use one of the official names \"JSONRPC\", \"HTTP+JSON\" and \"GRPC\". For your own binding, use a URI.";
    warnings.note(path, ("binding_unknown", fix), value);
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    match plain.to_ascii_lowercase().as_str() {
        "jsonrpc" | "jsonrpc20" | "jsonrpc2" => Binding::JsonRpc,
        "httpjson" | "rest" | "http" | "https" => Binding::HttpJson,
        "grpc" => Binding::Grpc,
        _ => Binding::Other(shorten(name, 200)),
    }
}

/// The URL in canonical form, or the code and the fix of its fault.
fn usable_url(text: &str, binding: &Binding) -> Result<String, (&'static str, &'static str)> {
    const TOO_LONG: (&str, &str) = ("interface_url_too_long", "Use a URL of at most 2048 bytes.");
    const WHOLE: &str = "Write the absolute public URL, such as https://agent.example.com/a2a.";
    if text.is_empty() {
        return Err(("interface_url_missing", WHOLE));
    }
    if text.len() > MAX_URL_BYTES {
        return Err(TOO_LONG);
    }
    if *binding == Binding::Grpc && !text.contains(char::is_whitespace) {
        return Ok(text.to_owned());
    }
    if text.contains('{') {
        return Err(("interface_url_template", "Replace the {variable} with its value."));
    }
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) => return Err(("interface_url_relative", WHOLE)),
        Err(_) => return Err(("interface_url_unreadable", WHOLE)),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return Err(("interface_url_scheme", "Write a URL that begins with https://."));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(("interface_url_credentials", "Remove the user name and password from the URL."));
    }
    // Escaping can make the URL longer than its text.
    if url.as_str().len() > MAX_URL_BYTES {
        return Err(TOO_LONG);
    }
    Ok(url.into())
}

/// Why other clients may not reach a usable URL.
fn oddity(url: &str) -> Option<(&'static str, &'static str)> {
    let url = Url::parse(url).ok().filter(Url::has_host)?;
    if is_local(&url) {
        Some(("interface_local", "Other machines cannot reach this URL. Write the public URL of the agent."))
    } else if url.scheme() == "http" {
        Some(("interface_not_https", "Serve the agent over https and write the https URL."))
    } else {
        None
    }
}
