//! The HTML pages, their assets and the reports of scores. The root sends clients of JSON to the discovery map.

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{AppendHeaders, IntoResponse as _, Redirect, Response};
use http::{HeaderMap, header};
use registry::app::App;
use registry::documents::{AnyDocument, ROOT_LINKS, SCORE_REPORT};
use registry::http::{add_vary, rest, with_middleware};
use registry::pages::{ASSETS, HOME, PAGES, with_problem_pages};

pub fn documents() -> Vec<&'static AnyDocument> {
    [PAGES, ASSETS, &[&SCORE_REPORT]].concat()
}

pub fn router(app: App) -> Router {
    let (home, others): (Vec<_>, Vec<_>) = documents().into_iter().partition(|page| page.paths == HOME.paths);
    let home = rest::documents(&home).route_layer(from_fn(redirect_json_clients));
    with_problem_pages(with_middleware(home.merge(rest::documents(&others)), app.clone()), app)
}

async fn redirect_json_clients(request: Request, next: Next) -> Response {
    let mut response = if accepts_only_json(request.headers()) {
        (AppendHeaders(ROOT_LINKS), Redirect::temporary("/discovery.json")).into_response()
    } else {
        next.run(request).await
    };
    add_vary(response.headers_mut(), "accept");
    response
}

fn accepts_only_json(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let accepted: Vec<String> = accepted
        .flat_map(|value| value.split(','))
        .map(|range| range.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
        .collect();
    let is_json = |range: &String| range == "application/json" || range.ends_with("+json");
    let is_page = |range: &String| matches!(range.as_str(), "*/*" | "text/*") || range.contains("html");
    accepted.iter().any(is_json) && !accepted.iter().any(is_page)
}
