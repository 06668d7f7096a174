//! The pages for people, and what they load. A machine that comes to the root is led to the map of the registry.

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{AppendHeaders, IntoResponse as _, Redirect, Response};
use http::{HeaderMap, HeaderValue, header};
use registry::app::App;
use registry::documents::ROOT_LINKS;
use registry::http::{rest, with_middleware};
use registry::pages::{self, with_problem_pages};

/// The routes of this function.
pub fn router(app: App) -> Router {
    let home = rest::documents(&[&pages::HOME]).route_layer(from_fn(lead_machines_to_the_map));
    let others = rest::documents(&[
        &pages::BOARD,
        &pages::FOR_AGENTS,
        &pages::LISTING,
        &pages::PRODUCTS,
        &pages::SITEMAP,
        &pages::STATUS,
        &pages::ICON,
        &pages::SCRIPT,
        &pages::STYLE_SHEET,
    ]);
    with_problem_pages(with_middleware(home.merge(others), app.clone()), app)
}

/// Who takes JSON and no page gets the map in its place.
async fn lead_machines_to_the_map(request: Request, next: Next) -> Response {
    let mut response = if takes_json_only(request.headers()) {
        (AppendHeaders(ROOT_LINKS), Redirect::temporary("/discovery.json")).into_response()
    } else {
        next.run(request).await
    };
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept"));
    response
}

fn takes_json_only(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let accepted: Vec<String> = accepted
        .flat_map(|value| value.split(','))
        .map(|range| range.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
        .collect();
    let takes_json = |range: &String| range == "application/json" || range.ends_with("+json");
    let takes_pages = |range: &String| matches!(range.as_str(), "*/*" | "text/*") || range.contains("html");
    accepted.iter().any(takes_json) && !accepted.iter().any(takes_pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_takes_json_and_no_page_is_led_on() {
        let takes_json_only = |accept: &'static str| {
            takes_json_only(&HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(accept))]))
        };
        assert!(takes_json_only("application/json"));
        assert!(takes_json_only("application/problem+json, application/json;q=0.9"));
        for page in
            ["text/html,application/xhtml+xml,*/*;q=0.8", "*/*", "application/json, */*", "text/plain"]
        {
            assert!(!takes_json_only(page), "{page}");
        }
        assert!(!super::takes_json_only(&HeaderMap::new()));
    }
}
