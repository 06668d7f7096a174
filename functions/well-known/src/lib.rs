//! Serves the discovery documents and the evidence log. This function also answers every path that no other
//! function serves.

use axum::Router;
use axum::response::Redirect;
use axum::routing::{any, get};
use registry::app::App;
use registry::ard;
use registry::discovery;
use registry::documents;
use registry::http::{rest, with_middleware};
use registry::model::protocol::ARD_BASE;
use registry::openapi::OPENAPI;
use registry::operations;
use registry::pages::with_problem_pages;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let documents = rest::documents(&[
        &discovery::DISCOVERY_MAP,
        &discovery::SKILL_JSON,
        &discovery::SKILL_FILE,
        &discovery::SKILL_INDEX,
        &discovery::LLMS,
        &discovery::LLMS_FULL,
        &discovery::AI_TEXT,
        &discovery::ROBOTS,
        &discovery::AGENTMAP,
        &discovery::API_CATALOG,
        &documents::AGENT_CARD,
        &documents::A2A_CARD,
        &documents::STRICT_AGENT_CARD,
        &documents::WIDE_SERVER_CARD,
        &documents::KEY_SET,
        &documents::SIGNATURE_DIRECTORY,
        &documents::SIGNATURE_AGENT_CARD,
        &documents::WELL_KNOWN_AGENTS,
        &documents::AGENT_DESCRIPTIONS,
        &documents::AI_CATALOG,
        &documents::LINKED_CATALOG,
        &documents::FEDERATION_CATALOGUE,
        &documents::OWN_SERVER_DESCRIPTION,
        &documents::PUBLISH_STATUS,
        &documents::REGISTRY_AUTH,
        &documents::SECURITY_TXT,
        &documents::DNS_STATUS,
        &documents::ABOUT_LOG,
        &documents::LOG_CHECKPOINT,
        &documents::LOG_TILES,
        &documents::LOG_EVIDENCE,
        &documents::DUMPS,
        &documents::DUMP_PART,
        &documents::DUMP_SCHEMA,
        &documents::TOOL_DEFINITION,
        &OPENAPI,
    ]);
    let documents = documents.merge(rest::operations(&[&operations::INCLUSION_PROOF]));
    // No route of an HTTP API ends in a slash, so these requests can match `$default`. This function may not use the
    // items that the A2A endpoint needs. So it redirects; 308 keeps the method and the body.
    let with_slash = Router::new()
        .route(ARD_BASE, get(ard::about))
        .route("/api/a2a/", any(async || Redirect::permanent("/api/a2a")));
    with_problem_pages(with_middleware(documents.merge(with_slash), app.clone()), app)
}
