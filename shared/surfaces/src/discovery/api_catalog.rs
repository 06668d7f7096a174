//! `/.well-known/api-catalog` (RFC 9727): the APIs of this registry as a set of links (RFC 9264), each with what
//! describes it to machines and to people, and where its state is told.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::contents::{API_CATALOG, LLMS_FULL, OPENAPI};
use crate::documents::{self, API_CATALOG_LINK, AnyDocument, Document, DocumentRequest, NoQuery, json};
use registry_app::App;
use registry_model::error::Problem;
use registry_model::protocol::{ARD_BASE, MCP_ENDPOINT, MCP_REGISTRY};
use registry_model::settings::Settings;

/// The catalogue.
#[derive(Debug)]
pub(super) struct ApiCatalog;

impl Document for ApiCatalog {
    const PATHS: &'static [&'static str] = API_CATALOG.paths;
    const SUMMARY: &'static str = API_CATALOG.summary;
    const MEDIA_TYPE: &'static str = API_CATALOG.media_type;
    const MAX_AGE_S: Option<u32> = Some(3600);
    const HEADERS: &'static [(&'static str, &'static str)] = &[API_CATALOG_LINK];
    type Query = NoQuery;
    type Answer = Map<String, Value>;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        json(&linkset(&app.settings))
    }
}

fn linkset(settings: &Settings) -> Value {
    let link = |path: &str, media_type: &str| json!([{ "href": settings.url(path), "type": media_type }]);
    let described = |document: &AnyDocument| link(first(document), document.media_type);
    let about = link(&LLMS_FULL.path(), LLMS_FULL.media_type);
    let status = described(&documents::PROBE_STATISTICS);
    let api = |path: &str, description: Value| {
        json!({
            "anchor": settings.url(path), "service-desc": description,
            "service-doc": about.clone(), "status": status.clone(),
        })
    };
    let others = [
        api(MCP_ENDPOINT, described(&documents::WIDE_SERVER_CARD)),
        api("/api/a2a", described(&documents::AGENT_CARD)),
        api(ARD_BASE, described(&documents::AI_CATALOG)),
        api(MCP_REGISTRY, link(&OPENAPI.path(), OPENAPI.media_type)),
    ];
    let mut whole = api("", link(&OPENAPI.path(), OPENAPI.media_type));
    whole["item"] = others.iter().map(|api| json!({ "href": api["anchor"] })).collect();
    let all: Vec<Value> = std::iter::once(whole).chain(others).collect();
    json!({ "linkset": all })
}

fn first(document: &AnyDocument) -> &'static str {
    document.paths.first().copied().unwrap_or_default()
}
