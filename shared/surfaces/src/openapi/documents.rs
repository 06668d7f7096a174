//! The calls that read documents. Each call has the paths of its document and the schema of the content.

use super::components::Components;
use super::{parameters, responses, tag, type_name};
use crate::documents::discovery;
use crate::prelude::*;
use registry_features::listing::badge;

pub(super) fn add<'a>(
    documents: impl IntoIterator<Item = &'a AnyDocument>,
    paths: &mut Map<String, Value>,
    components: &mut Components,
) {
    for document in documents {
        let first = document.paths.first().copied().unwrap_or_default();
        let owner = type_name(first);
        let content = content(document, &owner, components);
        for path in document.paths {
            // OpenAPI has no form of its own for axum's `{*rest}`.
            let at = path.replace("{*", "{");
            let mut call = json!({
                "operationId": format!("get_{}", identifier(&at)),
                "summary": document.summary,
                "tags": [tag(path)],
            });
            let mut all = path_parameters(&at);
            all.extend(parameters::query_parameters(&(document.query_schema)(), &owner, components));
            if !all.is_empty() {
                call["parameters"] = json!(all);
            }
            let mut answers = responses::with_errors(&content, responses::refusals(document.refusals));
            if document.media_type.starts_with("image/")
                && let Some(unknown) = answers.get_mut("404")
            {
                *unknown = responses::refusal("Not found.", &content);
            }
            call["responses"] = json!(answers);
            paths.entry(at).or_insert_with(|| json!({}))["get"] = call;
        }
    }
}

fn content(document: &AnyDocument, owner: &str, components: &mut Components) -> Map<String, Value> {
    let media_type = document.media_type.split(';').next().unwrap_or_default().trim();
    let schema = (document.answer_schema)();
    let is_json = media_type.ends_with("json");
    let schema = match (is_json, media_type) {
        (true, _) => components.adopt_as(&format!("{owner}Document"), schema),
        (false, "application/octet-stream") => json!({}),
        (false, _) => json!({ "type": "string" }),
    };
    Map::from_iter([(media_type.to_owned(), json!({ "schema": schema }))])
}

fn identifier(path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    if words.is_empty() { "root".to_owned() } else { words.join("_") }
}

fn path_parameters(path: &str) -> Vec<Value> {
    let text = |about| (json!({ "type": "string", "minLength": 1 }), about);
    let parts = path.split('{').skip(1).filter_map(|part| part.split('}').next());
    parts
        .map(|name| {
            let (schema, description) = match (path, name) {
                ("/badge/{name}", _) => (json!({ "type": "string", "enum": badge::NAMES }), "The name of the badge."),
                ("/log/tile/{tile}", _) => (
                    json!({ "type": "string", "pattern": "^(entries|[0-9])/(x[0-9]{3}/)*[0-9]{3}(\\.p/[0-9]{1,3})?$" }),
                    "The level, or `entries`, and the tile in groups of three digits such as `x001/234`; a partial tile ends with \
                     `.p/{width}`. Do not encode the slashes.",
                ),
                ("/skills/{name}", _) => {
                    let files: Vec<String> = discovery::skill_files().collect();
                    (json!({ "type": "string", "enum": files }), "The file of the skill.")
                }
                (_, "id") if path.starts_with("/check/") => text("The id of the report."),
                (_, "id") => (json!({ "type": "string" }), "The id of the listing."),
                (_, "index") => text("The index of the leaf."),
                (_, "hash") => text("The SHA-256 in hexadecimal digits."),
                _ => text("The name."),
            };
            json!({ "name": name, "in": "path", "required": true, "schema": schema, "description": description })
        })
        .collect()
}
