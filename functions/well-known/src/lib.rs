//! The documents by which machines discover the registry, and its log of evidence; and, being the function of last
//! resort, the answer to every path that no other function has.

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;
use registry::app::App;
use registry::documents;
use registry::http::{rest, with_middleware};
use registry::operations;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let documents = rest::documents(&[
        &documents::DISCOVERY_MAP,
        &documents::AGENT_CARD,
        &documents::STRICT_AGENT_CARD,
        &documents::WIDE_SERVER_CARD,
        &documents::KEY_SET,
        &documents::SIGNATURE_DIRECTORY,
        &documents::SIGNATURE_AGENT_CARD,
        &documents::WELL_KNOWN_AGENTS,
        &documents::AI_CATALOG,
        &documents::LINKED_CATALOG,
        &documents::FEDERATION_CATALOGUE,
        &documents::ABOUT_LOG,
        &documents::LOG_CHECKPOINT,
        &documents::LOG_TILES,
    ]);
    let documents = documents.merge(rest::operations(&[&operations::INCLUSION_PROOF]));
    with_middleware(documents.route("/", get(async || Redirect::temporary("/discovery.json"))), app)
}
