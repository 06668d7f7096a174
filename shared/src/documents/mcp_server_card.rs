//! The MCP server card, in the two shapes that clients request: the contract's, with the tools it serves, and the
//! official one (SEP-2127), which holds only what a client needs to connect. Both have the identity of the live
//! server.

use bytes::Bytes;
use serde_json::{Map, Value, json};
use url::{Host, Url};

use super::document::{Document, DocumentRequest, NoQuery};
use crate::app::App;
use crate::error::Problem;
use crate::model::protocol::{
    MCP_ENDPOINT, MCP_NEWEST_REVISION, MCP_REVISIONS, MCP_SHORT_ENDPOINT, SERVER_CARD_MEDIA_TYPE,
};
use crate::operations::CATALOGUE;
use crate::settings::Settings;
use crate::views::badge;

/// The extension families and their versions (contract "Versioning").
const FAMILIES: [(&str, &str); 5] = [
    ("stigmergy", crate::trails::VERSION),
    ("autocatalysis", crate::economy::AUTOCATALYSIS_VERSION),
    ("interop", crate::interop::VERSION),
    ("first_principles", crate::trust::VERSION),
    ("exonomics", crate::economy::EXONOMICS_VERSION),
];

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

/// The official schema lets at most a hundred characters pass.
const DESCRIPTION: &str =
    "Registry of agents and MCP servers in which every Live row answered a real handshake.";

/// The name of this server: its host name reversed, as names of servers are formed (SEP-2127, `name`).
#[must_use]
pub fn name(settings: &Settings) -> String {
    let url = Url::parse(&settings.base_url).ok();
    let owner = match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(domain)) => domain.rsplit('.').collect::<Vec<_>>().join("."),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(_)) | None => "localhost".to_owned(),
    };
    format!("{owner}/registry")
}

/// What the live server says of itself (MCP 2026-07-28 `Implementation`).
#[must_use]
pub fn identity(settings: &Settings) -> Value {
    json!({
        "name": name(settings),
        "title": settings.brand,
        "version": crate::VERSION,
        "description": DESCRIPTION,
        "websiteUrl": settings.base_url,
    })
}

/// Seconds for which a card may be shown again without asking (SEP-2127).
const KEPT_S: u32 = 3600;

/// The official card.
#[derive(Debug)]
pub struct ServerCard;

impl Document for ServerCard {
    const PATHS: &'static [&'static str] = &["/mcp/server-card"];
    const MEDIA_TYPE: &'static str = SERVER_CARD_MEDIA_TYPE;
    const MAX_AGE_S: Option<u32> = Some(KEPT_S);
    type Query = NoQuery;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        Ok(Bytes::from(strict(&app.settings).to_string()))
    }
}

/// The contract's card.
#[derive(Debug)]
pub struct WideServerCard;

impl Document for WideServerCard {
    const PATHS: &'static [&'static str] = &["/.well-known/mcp/server-card.json"];
    const MAX_AGE_S: Option<u32> = Some(KEPT_S);
    type Query = NoQuery;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        Ok(Bytes::from(wide(&app.settings).to_string()))
    }
}

/// The official card, served at `/mcp/server-card`.
#[must_use]
pub fn strict(settings: &Settings) -> Value {
    json!({
        "$schema": SCHEMA,
        "name": name(settings),
        "version": crate::VERSION,
        "title": settings.brand,
        "description": DESCRIPTION,
        "websiteUrl": settings.base_url,
        "remotes": [{
            "type": "streamable-http",
            "url": settings.url(MCP_SHORT_ENDPOINT),
            "supportedProtocolVersions": MCP_REVISIONS,
        }],
    })
}

/// The contract's card, served at `/.well-known/mcp/server-card.json` (contract "MCP server card").
#[must_use]
pub fn wide(settings: &Settings) -> Value {
    let tools: Vec<Value> = CATALOGUE
        .iter()
        .map(|entry| json!({ "name": entry.name, "description": entry.description }))
        .collect();
    let badges: Map<String, Value> = badge::NAMES
        .iter()
        .map(|name| ((*name).to_owned(), settings.url(&format!("/badge/{name}")).into()))
        .collect();
    let products: Map<String, Value> = CATALOGUE
        .iter()
        .flat_map(|entry| entry.routes)
        .filter_map(|route| Some((route.path.strip_prefix("/api/products/")?, settings.url(route.path))))
        .map(|(name, url)| (name.to_owned(), url.into()))
        .collect();
    let mut card = json!({
        "schema_version": MCP_NEWEST_REVISION,
        "name": name(settings),
        "title": settings.brand,
        "description": DESCRIPTION,
        "version": crate::VERSION,
        "website_url": settings.base_url,
        "documentation_url": settings.url("/discovery.json"),
        "remotes": [{ "type": "streamable-http", "url": settings.url(MCP_ENDPOINT), "headers": {} }],
        "tools_hint": tools,
        "tools_endpoint": settings.url(MCP_ENDPOINT),
        "tools_transport": "streamable-http",
        "tools_methods": ["server/discover", "initialize", "ping", "tools/list", "tools/call"],
        "transport_preference": ["streamable-http"],
        "protocol_versions": MCP_REVISIONS,
        "capabilities": { "tools": true, "resources": false, "prompts": false, "server_discover": true },
        "oauth": { "required": false, "readiness": "none" },
        "registry_role": "sub-registry",
        "mirrors": [],
        "packages": [],
        "badges": badges,
        "products": products,
        "server_card": settings.url("/mcp/server-card"),
    });
    for (family, version) in FAMILIES {
        card[family] = true.into();
        card[format!("{family}_version")] = version.into();
        card[format!("{family}_api")] =
            settings.url(&format!("/api/products/{}", family.replace('_', "-"))).into();
    }
    card
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Mode;

    fn at(base_url: &str) -> Settings {
        let lookup = |name: &str| (name == "BASE_URL").then(|| base_url.to_owned());
        Settings::from_env(Mode::Public, lookup).unwrap()
    }

    #[test]
    fn a_server_is_named_after_its_host() {
        assert_eq!(name(&at("https://registry.example.com")), "com.example.registry/registry");
        assert_eq!(name(&at("http://127.0.0.1:8080")), "127.0.0.1/registry");
        assert_eq!(name(&at("http://[::1]:8080")), "localhost/registry");
    }

    #[test]
    fn the_strict_card_keeps_within_the_official_limits() {
        let card = strict(&at("https://registry.example.com"));
        let length = |member: &str| card[member].as_str().unwrap().len();
        assert!((1..=100).contains(&length("description")) && (1..=100).contains(&length("title")));
        assert!((3..=200).contains(&length("name")));
        assert_eq!(card["remotes"][0]["url"], "https://registry.example.com/mcp");
    }

    #[test]
    fn the_cards_say_what_the_server_says() {
        let settings = at("https://registry.example.com");
        let (live, strict, wide) = (identity(&settings), strict(&settings), wide(&settings));
        for member in ["name", "title", "version", "description"] {
            assert_eq!((&strict[member], &wide[member]), (&live[member], &live[member]), "{member}");
        }
        assert_eq!(strict["remotes"][0]["supportedProtocolVersions"], wide["protocol_versions"]);
        assert_eq!(wide["tools_hint"].as_array().unwrap().len(), CATALOGUE.len());
    }
}
