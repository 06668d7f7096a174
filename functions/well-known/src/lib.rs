//! The documents by which machines discover the registry; and, being the function of last resort, the answer to
//! every path that no other function has.

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;
use registry::app::App;
use registry::documents::{
    AGENT_CARD, AI_CATALOG, DISCOVERY_MAP, FEDERATION_CATALOGUE, KEY_SET, LINKED_CATALOG, STRICT_AGENT_CARD,
    WELL_KNOWN_AGENTS, WIDE_SERVER_CARD,
};
use registry::http::{rest, with_middleware};

/// The routes of this function.
pub fn router(app: App) -> Router {
    let documents = rest::documents(&[
        &DISCOVERY_MAP,
        &AGENT_CARD,
        &STRICT_AGENT_CARD,
        &WIDE_SERVER_CARD,
        &KEY_SET,
        &WELL_KNOWN_AGENTS,
        &AI_CATALOG,
        &LINKED_CATALOG,
        &FEDERATION_CATALOGUE,
    ]);
    with_middleware(documents.route("/", get(async || Redirect::temporary("/discovery.json"))), app)
}
