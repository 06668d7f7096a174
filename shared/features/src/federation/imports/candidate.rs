//! Reads the entries of any source: server descriptions, pages of the registry API, lists of agent cards, and lines of a dump.

use crate::prelude::*;
use registry_formats::argument_text::{check_display_name, plain_line};
use registry_formats::limits::LONGEST_NAME;

/// The key of the official registry's own metadata about a server (openapi.yaml, `RegistryExtensions`).
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";
/// The members in which documents list their entries.
const LISTS: [&str; 4] = ["servers", "agents", "items", "results"];
/// The members with the URL of a card, which directories name differently.
const CARD_URLS: [&str; 6] = ["agent_card_url", "agentCardUrl", "wellKnownURI", "card_url", "cardUrl", "url"];

/// An entry of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its name, URL or listing id, for reports.
    pub name: String,
    /// The bodies of the `publish` requests that list it, in order. Empty if it is not published, such as a deleted server.
    pub bodies: Vec<Value>,
}

/// Entries that a source returns at once.
pub(super) struct Page {
    pub(super) candidates: Box<dyn Iterator<Item = Candidate> + Send>,
    /// The cursor of the next page.
    pub(super) next: Option<String>,
}

impl Page {
    pub(super) fn of_documents(documents: impl IntoIterator<Item = Value>, next: Option<String>) -> Self {
        let candidates: Vec<_> = documents.into_iter().flat_map(candidates).collect();
        Self { candidates: Box::new(candidates.into_iter()), next }
    }
}

/// The entries of a document: of a list, of an object that contains a list, or the document itself.
fn candidates(document: Value) -> Vec<Candidate> {
    let rows = match document {
        Value::Array(rows) => rows,
        Value::Object(mut page) => {
            match LISTS.iter().find_map(|name| page.remove(*name)) {
                Some(Value::Array(rows)) => rows,
                // Go writes an empty list as null.
                Some(_) => Vec::new(),
                None => vec![Value::Object(page)],
            }
        }
        other => vec![other],
    };
    // A long list of numbers costs nothing.
    let may_be_entry = |row: &&Value| rows.len() == 1 || row.is_object() || row.is_string();
    let is_header_of_dump = |row: &&Value| row["schema"].is_string() && row["registry"].is_string();
    rows.iter().filter(|row| may_be_entry(row) && !is_header_of_dump(row)).map(Candidate::of).collect()
}

/// The server description in an entry of the registry API, with or without its wrapper.
pub(crate) fn server_of(row: &Value) -> &Value {
    if row["server"].is_object() && row["name"].is_null() { &row["server"] } else { row }
}

impl Candidate {
    pub(super) fn of(row: &Value) -> Self {
        if let Some(url) = row.as_str() {
            return Self::of_url(url);
        }
        if row["listing"]["listing_id"].is_string() {
            return Self::of_dump(row);
        }
        match CARD_URLS.iter().find_map(|name| row[*name].as_str()) {
            Some(url) => Self::of_url(url),
            None => Self::of_server(server_of(row), &row["_meta"]),
        }
    }

    fn of_url(url: &str) -> Self {
        Self { name: url.to_owned(), bodies: vec![json!({ "url": url })] }
    }

    fn of_server(server: &Value, meta: &Value) -> Self {
        let name = server["name"].as_str().unwrap_or("an entry without a name").to_owned();
        let is_wanted = is_current([meta, &server["_meta"]], &server["status"]);
        let bodies = if is_wanted { vec![json!({ "server_json": server })] } else { Vec::new() };
        Self { name, bodies }
    }

    /// Reads a listing of a dump. What was published as a server description is published as such again, everything else by
    /// its URL. If a description joined the listing of its URL, the URL comes first, so that the listing keeps its id.
    fn of_dump(line: &Value) -> Self {
        let listing = &line["listing"];
        let id = listing["listing_id"].as_str().unwrap_or_default().to_owned();
        let by_url = line["url"].as_str().map(|url| {
            let kind = match () {
                () if listing["kind"] != "agent" => "mcp_url",
                () if listing["agent_card_url"] == url => "agent_card_url",
                () => "url",
            };
            let mut body = json!({ kind: url });
            // A server may give no name, but a name that it gives may not be allowed in a publication.
            let name = listing["name"].as_str().filter(|name| {
                *name != id
                    && check_display_name("name", name, None).is_ok()
                    && plain_line("name", name, LONGEST_NAME).is_ok()
            });
            if let Some(name) = name {
                body["name"] = name.into();
            }
            body
        });
        let claimed = listing["name_standing"]["name"].as_str();
        let (Some(claimed), Some(server)) = (claimed, line["server"].as_object()) else {
            return Self { name: id, bodies: by_url.into_iter().collect() };
        };
        let server = as_published(server.clone(), claimed, &line["_meta"]);
        let mut candidate = Self::of_server(&server, &line["_meta"]);
        if id.starts_with("agtpub_") && !candidate.bodies.is_empty() {
            candidate.bodies.splice(0..0, by_url);
        }
        candidate
    }
}

/// In the description that a registry shows, its own evidence is added, and the name is another one if the claimed name
/// belongs to another listing.
fn as_published(mut server: Map<String, Value>, claimed: &str, evidence: &Value) -> Value {
    server.insert("name".to_owned(), claimed.into());
    if let Some(Value::Object(meta)) = server.get_mut("_meta") {
        meta.retain(|key, _| evidence.get(key).is_none());
        if meta.is_empty() {
            server.remove("_meta");
        }
    }
    Value::Object(server)
}

/// Whether a server is published: not if it is deleted, deprecated or superseded. Older registries have the official member
/// in the description, and still older ones have a `status` of their own.
fn is_current(metas: [&Value; 2], status: &Value) -> bool {
    let official = metas.into_iter().find_map(|meta| meta.get(OFFICIAL)).unwrap_or(&Value::Null);
    let status = if official["status"].is_string() { &official["status"] } else { status };
    let is_latest =
        if official["isLatest"].is_null() { &official["is_latest"] } else { &official["isLatest"] };
    *status != "deleted" && *status != "deprecated" && *is_latest != false
}

#[cfg(test)]
mod tests;
