//! One entry of a source: a server description or a URL to send, or the reason why it is not sent. Deleted, deprecated
//! and superseded servers are skipped without a request.

use registry::formats::argument_text::{check_display_name, plain_line};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The key of the official registry's own metadata about a server (openapi.yaml, `RegistryExtensions`).
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

/// Characters of a name in a publication.
const MAX_NAME_CHARS: usize = 120;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ServerEntry {
    pub(super) label: Label,
    pub(super) action: Action,
}

/// Identifies an entry in reports and in the state file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Label {
    pub(super) name: Option<String>,
    pub(super) version: Option<String>,
    /// In the source, such as `line 17`.
    pub(super) place: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    Send(Map<String, Value>),
    /// The bodies of publications of one listing, in order.
    SendUrl(Vec<Value>),
    /// Not published, with the reason.
    Skip(&'static str),
    /// Not a server description.
    Invalid {
        code: &'static str,
        detail: String,
    },
}

impl ServerEntry {
    /// Reads a bare server description, or one wrapped as the registry API returns it.
    pub(super) fn read(value: Value, place: String, include_deprecated: bool) -> Self {
        let Value::Object(mut document) = value else {
            return Self::invalid(place, "not_an_object", "A server description must be a JSON object.");
        };
        match document.remove("listing") {
            Some(Value::Object(listing)) if listing.contains_key("listing_id") => {
                return Self::of_dump(&listing, document, place, include_deprecated);
            }
            other => document.extend(other.map(|other| ("listing".to_owned(), other))),
        }
        if document.contains_key("schema") && document.contains_key("registry") {
            let label = Label { name: None, version: None, place };
            return Self { label, action: Action::Skip("header of the dump") };
        }
        let outer = document.remove("_meta");
        let document = match document.remove("server") {
            Some(Value::Object(server)) if !document.contains_key("name") => server,
            other => {
                document.extend(other.map(|other| ("server".to_owned(), other)));
                document.extend(outer.clone().map(|outer| ("_meta".to_owned(), outer)));
                document
            }
        };
        let text = |name: &str| document.get(name).and_then(Value::as_str).map(str::to_owned);
        let label = Label { name: text("name"), version: text("version"), place };
        let action = match skip_reason(outer.as_ref(), &document, include_deprecated) {
            Some(reason) => Action::Skip(reason),
            None => Action::Send(document),
        };
        Self { label, action }
    }

    /// Reads a listing of a dump. What was published as a server description is published as such again, everything else by
    /// its URL. If a description joined the listing of its URL, the URL comes first, so that the listing keeps its id.
    fn of_dump(
        listing: &Map<String, Value>,
        mut line: Map<String, Value>,
        place: String,
        include_deprecated: bool,
    ) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let member = |name: &str| listing.get(name).and_then(text);
        let id = member("listing_id").unwrap_or_default();
        let url = line.get("url").and_then(text);
        let is_agent = member("kind").as_deref() == Some("agent");
        let by_url = url.map(|url| {
            let kind = match () {
                () if !is_agent => "mcp_url",
                () if member("agent_card_url").as_ref() == Some(&url) => "agent_card_url",
                () => "url",
            };
            // A server may give no name, but a name that it gives may not be allowed in a publication.
            let name =
                member("name").filter(|name| *name != id && check_display_name("name", name, None).is_ok());
            let name = name.filter(|name| plain_line("name", name, MAX_NAME_CHARS).is_ok());
            let mut body = json!({ kind: url });
            if let Some(name) = name {
                body["name"] = name.into();
            }
            body
        });
        let claimed = listing.get("name_standing").and_then(|standing| standing.get("name")).and_then(text);
        let (Some(claimed), Some(Value::Object(mut server))) = (claimed, line.remove("server")) else {
            let label = Label { name: Some(id), version: None, place };
            let action = match by_url {
                Some(body) => Action::SendUrl(vec![body]),
                None => Action::Skip("it has no URL"),
            };
            return Self { label, action };
        };
        // The registry shows its own evidence in the document, and another name if this one belongs to another listing.
        server.insert("name".to_owned(), claimed.into());
        let outer = line.remove("_meta");
        if let Some(Value::Object(inner)) = server.get_mut("_meta") {
            inner.retain(|key, _| outer.as_ref().and_then(|outer| outer.get(key)).is_none());
            if inner.is_empty() {
                server.remove("_meta");
            }
        }
        let wrapped = json!({ "server": server, "_meta": outer });
        let mut entry = Self::read(wrapped, place, include_deprecated);
        if let (Action::Send(server), Some(body), true) = (&entry.action, by_url, id.starts_with("agtpub_")) {
            entry.action = Action::SendUrl(vec![body, json!({ "server_json": server })]);
        }
        entry
    }

    pub(super) fn invalid(place: String, code: &'static str, detail: impl Into<String>) -> Self {
        let label = Label { name: None, version: None, place };
        Self { label, action: Action::Invalid { code, detail: detail.into() } }
    }
}

impl Label {
    /// The position for an entry without a name.
    pub(super) fn display_name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.place)
    }

    /// Identifies the entry within its page, even if other entries are added or removed.
    pub(super) fn key(&self) -> String {
        format!("{} {}", self.display_name(), self.version.as_deref().unwrap_or_default())
    }
}

/// Why an entry is not published. Older registries have the official member in the document, and still older ones have
/// a `status` of their own.
fn skip_reason(
    outer: Option<&Value>,
    document: &Map<String, Value>,
    include_deprecated: bool,
) -> Option<&'static str> {
    let official = [outer, document.get("_meta")].into_iter().flatten().find_map(|meta| meta.get(OFFICIAL));
    let member = |name: &str| official.and_then(|official| official.get(name));
    let status = member("status").or_else(|| document.get("status")).and_then(Value::as_str);
    match status {
        Some("deleted") => Some("deleted"),
        Some("deprecated") if !include_deprecated => Some("deprecated"),
        _ if member("isLatest").or_else(|| member("is_latest")) == Some(&Value::Bool(false)) => {
            Some("not the latest version")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> ServerEntry {
        ServerEntry::read(value, "line 3".to_owned(), false)
    }

    #[test]
    fn document_is_found_with_and_without_a_wrapper() {
        let bare = json!({ "name": "org.example/a", "description": "A.", "version": "1.0.0" });
        let official = json!({ OFFICIAL: { "status": "active", "isLatest": true } });
        let wrapped = json!({ "server": bare, "_meta": official });
        let document = bare.as_object().unwrap().clone();
        assert_eq!(read(bare).action, Action::Send(document.clone()));
        let entry = read(wrapped);
        assert_eq!(
            (entry.label.key().as_str(), &entry.action),
            ("org.example/a 1.0.0", &Action::Send(document))
        );
    }

    #[test]
    fn document_without_a_wrapper_keeps_every_member() {
        let bare = json!({ "name": "org.example/a", "_meta": { "x": 1 }, "server": { "name": "other" } });
        assert_eq!(read(bare.clone()).action, Action::Send(bare.as_object().unwrap().clone()));
        let odd = json!({ "server": "text" });
        assert_eq!(read(odd.clone()).action, Action::Send(odd.as_object().unwrap().clone()));
    }

    #[test]
    fn deleted_deprecated_and_old_versions_are_skipped() {
        let official =
            |official: Value| json!({ "server": { "name": "a/b" }, "_meta": { OFFICIAL: official } });
        assert_eq!(read(official(json!({ "status": "deleted" }))).action, Action::Skip("deleted"));
        let deprecated = official(json!({ "status": "deprecated", "isLatest": true }));
        assert_eq!(read(deprecated.clone()).action, Action::Skip("deprecated"));
        assert!(matches!(ServerEntry::read(deprecated, String::new(), true).action, Action::Send(_)));
        let old = official(json!({ "status": "active", "isLatest": false }));
        assert_eq!(read(old).action, Action::Skip("not the latest version"));
        assert_eq!(read(json!({ "name": "a/b", "status": "deleted" })).action, Action::Skip("deleted"));
        let inner = json!({ "name": "a/b", "_meta": { OFFICIAL: { "is_latest": false } } });
        assert_eq!(read(inner).action, Action::Skip("not the latest version"));
    }

    #[test]
    fn error_gives_the_position_of_the_invalid_entry() {
        let entry = read(json!(7));
        assert_eq!(entry.label.display_name(), "line 3");
        assert!(matches!(entry.action, Action::Invalid { code: "not_an_object", .. }));
    }
}
