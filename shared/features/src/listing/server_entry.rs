//! A Live MCP server as a `server.json` (schema of 2025-12-11). The registry's evidence is in `_meta`, under
//! the registry's own key. The texts of a peer are shortened to the limits of the schema, so that the
//! document is valid for every listing.

use url::Url;

use super::{NameStanding, Namespace, status_url};
use crate::prelude::*;
use registry_formats::registry_name;
use registry_formats::server_json::{is_name, is_version};
use registry_model::protocol::{MCP_NEWEST_REVISION, SERVER_DESCRIPTION_SCHEMA};
use registry_model::{Access, Handshake, NO_TOOLS, ServerDocument, ServerStatus};
use registry_search::browse::Row;
use registry_store::Delisting;

/// The key of the official metadata, which every implementation of the API includes.
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";
/// Characters of a title and of a description.
const MAX_CHARS: usize = 100;
/// For a server without a version that the official rules accept. It is a semantic version lower than all
/// others, so a real version is never mistaken for the older one.
const UNKNOWN_VERSION: &str = "0.0.0";

/// A server and the registry's metadata about it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ServerResponse {
    pub server: Server,
    #[serde(rename = "_meta")]
    pub meta: Map<String, Value>,
}

/// A `server.json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Server {
    /// As its publisher described it.
    Published(#[schemars(extend("required" = ["name", "description", "version"]))] Map<String, Value>),
    /// Described by the registry, because only a URL was published.
    Described(Box<ServerDetail>),
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerDetail {
    #[serde(rename = "$schema")]
    schema: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    description: String,
    version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    website_url: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remotes: Vec<Remote>,
    #[serde(rename = "_meta")]
    meta: Map<String, Value>,
}

/// Only streamable HTTP ever goes Live as an MCP server.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Remote {
    #[serde(rename = "type")]
    transport: &'static str,
    url: String,
}

impl ServerResponse {
    pub fn of_row(row: &Row, document: Option<&ServerDocument>, settings: &Settings) -> Self {
        let is_package = row.listing.lane == Lane::Package;
        let changed_at = if is_package { row.listing.checked_at() } else { row.changed_at };
        Self::of(&row.listing, document, Some(changed_at), settings)
    }

    /// An earlier version. The evidence is about the latest version, so it is left out.
    pub fn of_earlier(listing: &Listing, document: &ServerDocument) -> Self {
        let official = json!({
            "status": document.status,
            "publishedAt": document.published_at,
            "updatedAt": document.updated_at,
            "isLatest": false,
        });
        let meta = Map::from_iter([(OFFICIAL.to_owned(), official)]);
        Self { server: Server::published(listing, document, Map::new()), meta }
    }

    /// Only what identifies the server. Its evidence says nothing about today, and its texts may be why it was withdrawn.
    pub fn of_fall(fall: &Delisting) -> Self {
        let Delisting { listing, at } = fall;
        let official = json!({
            "status": "deleted",
            "publishedAt": listing.listed_at,
            "updatedAt": at,
            "isLatest": true,
        });
        let meta = Map::from_iter([(OFFICIAL.to_owned(), official)]);
        let server = ServerDetail {
            title: None,
            description: "This server is no longer listed here as active.".to_owned(),
            website_url: None,
            remotes: Vec::new(),
            ..ServerDetail::of(listing, Map::new())
        };
        Self { server: Server::Described(Box::new(server)), meta }
    }

    pub fn of(
        listing: &Listing,
        document: Option<&ServerDocument>,
        changed_at: Option<Moment>,
        settings: &Settings,
    ) -> Self {
        let mut official = json!({
            "status": document.map_or(ServerStatus::Active, |document| document.status),
            "publishedAt": document.map_or(listing.listed_at, |document| document.published_at),
            "isLatest": true,
        });
        if let Some(changed_at) = changed_at {
            let described_at = document.map_or(listing.listed_at, |document| document.updated_at);
            official["updatedAt"] = json!(changed_at.max(described_at));
        }
        // The official guide for aggregators puts it inside the server, the official OpenAPI next to it.
        let evidence = json!(ServerEvidence::of(listing, settings));
        let key = Namespace::own(settings).key("evidence");
        let inner = Map::from_iter([(key.clone(), evidence.clone())]);
        let meta = Map::from_iter([(OFFICIAL.to_owned(), official), (key, evidence)]);
        let server = match document {
            Some(document) => Server::published(listing, document, inner),
            None => Server::Described(Box::new(ServerDetail::of(listing, inner))),
        };
        Self { server, meta }
    }
}

impl Server {
    /// Under the name that the listing has the right to.
    fn published(listing: &Listing, document: &ServerDocument, meta: Map<String, Value>) -> Self {
        let mut server = document.server.clone();
        server.insert("name".to_owned(), registry_name::name_of_listing(listing).into());
        let is_shown =
            |website: &Value| website.as_str().is_some_and(|website| listing.may_have_website(website));
        server.retain(|member, value| member != "websiteUrl" || is_shown(value));
        server.insert("$schema".to_owned(), SERVER_DESCRIPTION_SCHEMA.into());
        let all = server.entry("_meta").or_insert_with(|| json!({}));
        if let Some(all) = all.as_object_mut() {
            all.extend(meta);
        }
        Self::Published(server)
    }
}

impl ServerDetail {
    fn of(listing: &Listing, meta: Map<String, Value>) -> Self {
        let url = listing.endpoint.as_deref().or(listing.url.as_deref()).and_then(web);
        let name = registry_name::name_of_listing(listing);
        let title = line(&listing.texts.name, MAX_CHARS);
        // A title that is a server name repeats the name or claims another one.
        let is_titled = !title.is_empty() && !is_name(&title) && title != listing.id.as_str();
        Self {
            schema: SERVER_DESCRIPTION_SCHEMA,
            name,
            title: is_titled.then_some(title),
            description: description(listing, url.as_ref()),
            version: version(listing),
            website_url: listing.valid_website().and_then(website),
            remotes: url
                .map(|url| Remote { transport: "streamable-http", url: url.into() })
                .into_iter()
                .collect(),
            meta,
        }
    }
}

pub fn version(listing: &Listing) -> String {
    let version = listing.texts.version.as_deref().map(str::trim).filter(|version| {
        is_version(version)
            && version.chars().all(|c| !c.is_control())
            && version.contains(char::is_alphanumeric)
    });
    version.unwrap_or(UNKNOWN_VERSION).to_owned()
}

fn description(listing: &Listing, url: Option<&Url>) -> String {
    let text = line(listing.texts.description.as_deref().unwrap_or_default(), MAX_CHARS);
    if !text.is_empty() {
        return text;
    }
    let host = url.and_then(Url::host_str);
    line(&host.map_or("An MCP server.".to_owned(), |host| format!("An MCP server at {host}.")), MAX_CHARS)
}

/// One line of at most `max_chars` characters, cut after a word.
fn line(text: &str, max_chars: usize) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= max_chars {
        return line;
    }
    let room = line.char_indices().nth(max_chars - 1).map_or(0, |(end, _)| end);
    let is_whole = line[room..].starts_with(' ');
    // A text whose last space is far from its end has no words to speak of.
    let word_end = line[..room].rfind(' ').filter(|space| !is_whole && *space > room / 2);
    let cut = word_end.unwrap_or(room);
    format!("{}…", line[..cut].trim_end_matches([' ', ',', ';', ':', '-']))
}

fn web(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    (matches!(url.scheme(), "http" | "https") && !url.as_str().contains(char::is_whitespace)).then_some(url)
}

/// https, and a strict URI (RFC 3986), which browser URLs are not always.
fn website(text: &str) -> Option<String> {
    let url = Url::parse(text).ok().filter(|url| url.scheme() == "https")?;
    let text = url.as_str();
    let mut escapes = text.split('%').skip(1);
    let escaped = escapes.all(|rest| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2);
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=%".contains(&b));
    (escaped && plain && text.matches('#').count() <= 1).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ServerEvidence {
    /// How the server can be used.
    access: Access,
    /// `ok` for every server that is Live.
    class: Handshake,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_checked: Option<Moment>,
    /// The first of the probes that failed since then.
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_since: Option<Moment>,
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    era: Option<String>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<u32>,
    /// SHA-256 over the tool list, so that clients see a change of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools_hash: Option<String>,
    /// Absent if the listing has no server name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name_standing: Option<NameStanding>,
    /// 0 to 100.
    score: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    live_since: Option<Moment>,
    /// The URL that answered. Other URLs and packages of a description were not probed.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    status_url: String,
}

impl ServerEvidence {
    pub fn of(listing: &Listing, settings: &Settings) -> Self {
        let probe = listing.proof.probe.as_ref();
        let completed_handshake = listing.access() == Access::Open;
        let era = listing.proof.era.clone().filter(|_| completed_handshake);
        let is_modern = era.as_deref().is_some_and(|era| era >= MCP_NEWEST_REVISION);
        let has_tools = listing.proof.tools_hash.as_deref().is_some_and(|hash| hash != NO_TOOLS);
        Self {
            access: listing.access(),
            class: probe.map_or(Handshake::Skip, |probe| probe.handshake),
            reason: reason(listing),
            last_checked: listing.last_asked(),
            failing_since: listing.schedule.failing_since.filter(|_| listing.lane.is_proven()),
            method: match (listing.access(), is_modern) {
                (Access::Gated, _) => "server/discover, initialize",
                (Access::Package, _) => "package metadata",
                (_, true) if !has_tools => "server/discover, tools/list if it declares tools",
                (_, false) if !has_tools => "initialize, tools/list if it declares tools",
                (_, true) => "server/discover, tools/list",
                (_, false) => "initialize, tools/list",
            },
            era,
            latency_ms: probe.and_then(|probe| probe.latency_ms),
            tools_hash: listing.proof.tools_hash.clone().filter(|_| completed_handshake),
            name_standing: NameStanding::of(listing),
            score: probe.map_or(0, |probe| probe.score),
            live_since: listing.proof.live_since,
            endpoint: listing.endpoint.clone(),
            status_url: status_url(settings, &listing.id),
        }
    }
}

fn reason(listing: &Listing) -> String {
    if listing.lane == Lane::Package {
        return "It runs on the machine of its user. Its packages were found, with its name.".to_owned();
    }
    let proof = match listing.lane {
        Lane::Gated => "It asks for a sign-in, and the metadata of the sign-in is correct.",
        _ => "It completed the handshake, without a credential.",
    };
    match (&listing.proof.probe, listing.schedule.failures) {
        (None, _) => "Not probed yet.".to_owned(),
        (Some(_), 0) => proof.to_owned(),
        (Some(_), failures) => format!(
            "{proof} Failed probes after that: {failures}. A recheck will show whether it still answers."
        ),
    }
}
