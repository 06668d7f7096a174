//! `/openapi.json` describes this API for machines (OpenAPI 3.1.0). The description is derived from the catalog of
//! operations and the tables of documents, so that it always agrees with them. Protocols that others define
//! are described from their wire types. The description is made once per process. Only
//! the head is different for each registry.

mod compact;
mod components;
mod documents;
mod operations;
mod parameters;
mod protocols;
mod responses;

#[cfg(test)]
mod tests;

use crate::documents::discovery::GUIDES;
use crate::documents::{DOCUMENTS, json as json_bytes};
use crate::pages::PAGES;
use crate::prelude::*;
use components::Components;

/// `specification.md#versioning`.
const VERSION: &str = "1.9.0";

/// The part that is the same for every registry, as text.
static COMMON: LazyLock<Result<String, String>> =
    LazyLock::new(|| serde_json::to_string(&common()).map_err(|error| error.to_string()));

pub static OPENAPI: AnyDocument = AnyDocument {
    paths: &["/openapi.json"],
    summary: "The OpenAPI 3.1 description of the paths: arguments, answers, examples and errors.",
    max_age_s: Some(300),
    ..AnyDocument::fixed::<Map<String, Value>>(|app, _| Box::pin(async { description(&app.settings) }))
};

fn description(settings: &Settings) -> Result<Bytes, Problem> {
    let common = COMMON.as_ref().map_err(|error| Problem::fault(error.clone()))?;
    let head = json_bytes(&json!({
        "openapi": "3.1.0",
        "info": {
            "title": settings.brand,
            "version": VERSION,
            "summary": "A public registry of A2A agents and MCP servers that answered a real handshake.",
            "description": format!(
                "Service version {}. No credentials are needed. Errors are problem documents (some, for browsers, pages), \
                 or have the form of the protocol of the path. Unknown members of a request are ignored, except \
                 arguments of tools and skills. A GET that changes nothing accepts HEAD. Responses of calls have \
                 `x-request-id`. If one has an `ETag`, send it as `If-None-Match`: you get 304 if it is unchanged.",
                registry_model::VERSION
            ),
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": settings.base_url }],
        "externalDocs": { "description": "The discovery map of this registry.", "url": settings.url("/discovery.json") },
    }))?;
    let mut whole = head.strip_suffix(b"}").unwrap_or_default().to_vec();
    whole.push(b',');
    whole.extend_from_slice(common.strip_prefix('{').unwrap_or_default().as_bytes());
    Ok(whole.into())
}

fn described() -> impl Iterator<Item = &'static AnyDocument> {
    [DOCUMENTS, GUIDES, PAGES].into_iter().flatten().copied().chain(std::iter::once(&OPENAPI))
}

fn common() -> Value {
    let mut components = Components::default();
    for (keyword, value, name) in components::keywords() {
        components.schemas.insert(name.to_owned(), json!({ keyword: value }));
    }
    let mut paths = Map::new();
    operations::add(&mut paths, &mut components);
    documents::add(described(), &mut paths, &mut components);
    components.adopt_as("Problem", responses::problem());
    protocols::add(&mut paths, &mut components);
    paths.sort_keys();
    let mut responses = responses::components();
    responses.append(&mut components.responses);
    compact::shorten(&mut paths, &mut components.schemas);
    json!({
        "paths": paths,
        "components": {
            "schemas": components.schemas,
            "responses": responses,
        },
    })
}

fn tag(path: &str) -> &'static str {
    const GROUPS: [(&str, &str); 20] = [
        ("/api/a2a", "a2a"),
        ("/api/protocol", "mcp"),
        ("/mcp", "mcp"),
        ("/v0.1/", "registry-api"),
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
        ("/api/changes", "feed"),
        ("/feeds/", "feed"),
        ("/api/catalog", "federation"),
    ];
    GROUPS.iter().find(|(start, _)| path.starts_with(start)).map_or("documents", |(_, group)| group)
}

/// `take_demo` becomes `TakeDemo`.
fn type_name(operation: &str) -> String {
    let words = operation.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        })
        .collect()
}
