//! What calls are called by: their groups, the names of their schemas, and the example of an operation. Apart, because
//! calls of operations, families and documents are named alike.

use serde_json::Value;

use registry_operations::Description;

pub(super) fn example(operation: &Description) -> Value {
    serde_json::from_str(operation.example).unwrap_or_default()
}

pub(super) fn tag(path: &str) -> &'static str {
    const GROUPS: [(&str, &str); 14] = [
        ("/api/publish", "listings"),
        ("/api/listings", "listings"),
        ("/api/score", "listings"),
        ("/api/liveness", "listings"),
        ("/api/probe", "probes"),
        ("/api/ard", "search"),
        ("/api/match", "search"),
        ("/agents/", "search"),
        ("/api/products", "products"),
        ("/api/talk", "talk"),
        ("/badge/", "badges"),
        ("/log", "log"),
        ("/api/feed", "feed"),
        ("/api/catalog", "federation"),
    ];
    GROUPS.iter().find(|(start, _)| path.starts_with(start)).map_or("documents", |(_, group)| group)
}

/// `take_demo` becomes `TakeDemo`.
pub(super) fn type_name(operation: &str) -> String {
    let words = operation.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        })
        .collect()
}
