//! One entry of a source: a server description to send, or the reason why it is not sent. Deleted, deprecated
//! and superseded servers are skipped without a request.

use serde::Serialize;
use serde_json::{Map, Value};

/// The key of the official registry's own metadata about a server (openapi.yaml, `RegistryExtensions`).
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

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
