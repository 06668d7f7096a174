//! Serves the discovery documents, the evidence log, and every path that no other function serves.

use axum::Router;
use registry::a2a;
use registry::app::App;
use registry::ard;
use registry::discovery::GUIDES;
use registry::documents::DOCUMENTS;
use registry::openapi::OPENAPI;
use registry::pages::with_problem_pages;
use registry::rest::{self, with_middleware};

pub fn router(app: App) -> Router {
    // The maps contain all documents. The gateway sends the requests for some of them to other functions.
    let documents = rest::documents(&[GUIDES, DOCUMENTS, &[&OPENAPI]].concat());
    let documents = documents.merge(rest::operations(&[&registry::log::operations::INCLUSION_PROOF]));
    // No route of an HTTP API ends in a slash, so these requests can match `$default`.
    let with_slash = ard::description().merge(a2a::redirect_from_slash());
    with_problem_pages(with_middleware(documents.merge(with_slash), app.clone()), app)
}
