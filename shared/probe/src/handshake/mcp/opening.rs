//! Checks the result that opens a conversation (MCP schemas, `InitializeResult` and `DiscoverResult`).
//! Official clients parse this result with strict types. If a type is wrong, they end the conversation.

use serde_json::Value;

use crate::reasons::ConformanceRule;

/// What every cacheable result of the modern era must contain (MCP 2026-07-28, server/utilities/caching).
pub(super) fn modern_faults(result: &Value) -> Vec<ConformanceRule> {
    let mut faults = Vec::new();
    if !result["resultType"].is_string() {
        faults.push(ConformanceRule::ResultType);
    }
    let scoped = matches!(result["cacheScope"].as_str(), Some("public" | "private"));
    if result["ttlMs"].as_u64().is_none() || !scoped {
        faults.push(ConformanceRule::Caching);
    }
    faults
}

pub(super) fn misshapen_initialize(result: &Value) -> Option<&'static str> {
    common(result).or_else(|| identity(&result["serverInfo"], "serverInfo"))
}

/// The same for `server/discover`. Its identity is optional, and clients ignore one that they cannot read.
pub(super) fn misshapen_discover(result: &Value) -> Option<&'static str> {
    let listed = result["supportedVersions"].as_array();
    let texts = listed.is_some_and(|versions| versions.iter().all(Value::is_string));
    common(result).or(if texts { None } else { Some("supportedVersions") })
}

/// The identity in a result of `server/discover`. The schema of MCP 2026-07-28 has it in `_meta`. Servers that follow the
/// tutorial of the specification have it in the result itself.
pub(super) fn info_of_discover(result: &Value) -> &Value {
    let in_meta = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    if in_meta.is_null() { &result["serverInfo"] } else { in_meta }
}

fn common(result: &Value) -> Option<&'static str> {
    // Every capability is an object of its own (`ServerCapabilities`). To most clients, null is one that is left out.
    let capabilities = result["capabilities"].as_object();
    if !capabilities.is_some_and(|all| {
        let known = ["experimental", "logging", "completions", "prompts", "resources", "tools"];
        known.iter().all(|name| all.get(*name).is_none_or(|one| one.is_object() || one.is_null()))
    }) {
        return Some("capabilities");
    }
    is_other_than_text(&result["instructions"]).then_some("instructions")
}

fn identity(info: &Value, place: &'static str) -> Option<&'static str> {
    let named = info["name"].is_string() && info["version"].is_string();
    let described =
        ["title", "description", "websiteUrl"].iter().all(|field| !is_other_than_text(&info[*field]));
    (!named || !described).then_some(place)
}

/// True for a field that is present and not a text. Some frameworks write null for fields that they leave out.
pub(super) fn is_other_than_text(value: &Value) -> bool {
    !value.is_null() && !value.is_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn capability_that_is_null_counts_as_left_out() {
        let of = |tools: Value| common(&json!({ "capabilities": { "tools": tools } }));
        assert_eq!((of(Value::Null), of(json!([]))), (None, Some("capabilities")));
    }

    #[test]
    fn identity_is_read_in_both_places_and_meta_comes_first() {
        let info = |name: &str| json!({ "name": name, "version": "1" });
        let mut result = json!({ "serverInfo": info("tutorial") });
        assert_eq!(info_of_discover(&result)["name"], "tutorial");
        result["_meta"] = json!({ "io.modelcontextprotocol/serverInfo": info("schema") });
        assert_eq!(info_of_discover(&result)["name"], "schema");
        assert!(info_of_discover(&json!({})).is_null());
    }
}
