//! Serves the discovery documents, the evidence log, the pages for people, and every path that no other function serves.

use axum::Router;
use registry::a2a;
use registry::app::App;
use registry::ard;
use registry::discovery::GUIDES;
use registry::documents::DOCUMENTS;
use registry::openapi::OPENAPI;
use registry::pages::{self, ASSETS, PAGES, with_problem_pages};
use registry::rest::{self, with_middleware};

/// The path that the gateway sends to this function although it is below a path of another one. It also sends here what no
/// function has.
pub const PATHS: &[&str] = &["/api/a2a/.well-known/agent-card.json"];

pub fn router(app: App) -> Router {
    // The maps contain all documents. The gateway sends the requests for some of them to other functions.
    let documents = rest::documents(&[GUIDES, DOCUMENTS, &[&OPENAPI]].concat());
    let pages = pages::routes(&[PAGES, ASSETS].concat());
    let operations = rest::operations(&[&registry::log::operations::INCLUSION_PROOF]);
    // No route of an HTTP API ends in a slash, so these requests can match `$default`.
    let redirects = ard::description().merge(a2a::redirects());
    let routes = documents.merge(pages).merge(operations).merge(redirects);
    with_problem_pages(with_middleware(routes, app.clone()), app)
}
