//! Serves the discovery documents, the evidence log, and every path that no other function serves.

use axum::Router;
use axum::response::Redirect;
use axum::routing::{any, get};
use registry::app::App;
use registry::ard;
use registry::discovery::GUIDES;
use registry::documents::DOCUMENTS;
use registry::http::{rest, with_middleware};
use registry::model::protocol::ARD_BASE;
use registry::openapi::OPENAPI;
use registry::pages::with_problem_pages;

pub fn router(app: App) -> Router {
    // The maps contain all documents. The gateway sends the requests for some of them to other functions.
    let documents = rest::documents(&[GUIDES, DOCUMENTS, &[&OPENAPI]].concat());
    let documents = documents.merge(rest::operations(&[&registry::log::INCLUSION_PROOF]));
    // No route of an HTTP API ends in a slash, so these requests can match `$default`. This function may not use the
    // items that the A2A endpoint needs. So it redirects; 308 keeps the method and the body.
    let with_slash = Router::new()
        .route(ARD_BASE, get(ard::about))
        .route("/api/a2a/", any(async || Redirect::permanent("/api/a2a")));
    with_problem_pages(with_middleware(documents.merge(with_slash), app.clone()), app)
}
