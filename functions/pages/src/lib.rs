//! The HTML pages, their assets and the reports of scores.

use axum::Router;
use registry::app::App;
use registry::documents::{AnyDocument, SCORE_REPORT};
use registry::pages::{self, ASSETS, PAGES, with_problem_pages};
use registry::rest::with_middleware;

pub fn documents() -> Vec<&'static AnyDocument> {
    [PAGES, ASSETS, &[&SCORE_REPORT]].concat()
}

pub fn router(app: App) -> Router {
    with_problem_pages(with_middleware(pages::routes(&documents()), app.clone()), app)
}
