//! Tests the routes: each operation and document reaches its function, and each route has a sample event.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use http::{Method, Request, StatusCode};
use lambda_http::RequestExt;
use local::functions::HttpFunction;
use registry::discovery::GUIDES;
use registry::documents::DOCUMENTS;
use registry::features::CATALOGUE;
use registry::openapi::OPENAPI;
use registry::pages::{ASSETS, PAGES};
use tests::prelude::*;
use tests::sample_events;
use tests::template::{TEMPLATE, fits};
use tower::ServiceExt as _;

#[test]
fn every_route_has_a_valid_sample_event() {
    let routes: BTreeSet<String> = TEMPLATE
        .events("HttpApi")
        .into_iter()
        .map(|(_, route)| match (route["Method"].as_str().unwrap(), route["Path"].as_str().unwrap()) {
            ("ANY", "$default") => "$default".to_owned(),
            (method, path) => format!("{method} {path}"),
        })
        .collect();

    let mut sampled = BTreeSet::new();
    for (name, event) in sample_events::all() {
        let Some(route) = event["routeKey"].as_str() else { continue };
        assert_eq!(event["requestContext"]["routeKey"], route, "{name}");
        sampled.insert(route.to_owned());

        let request = lambda_http::request::from_str(&event.to_string()).unwrap();
        assert_eq!(request.raw_http_path(), event["rawPath"].as_str().unwrap(), "{name}");
        assert_eq!(request.method().as_str(), event["requestContext"]["http"]["method"], "{name}");
        let pattern = route.split(' ').next_back().unwrap();
        assert!(pattern == "$default" || fits(pattern, request.raw_http_path()), "{name} is not for {route}");
        let query = request.uri().query().unwrap_or_default();
        assert_eq!(query.is_empty(), event["rawQueryString"] == "", "{name}");
    }
    assert_eq!(sampled, routes);
}

/// Whether a function serves a path: DELETE returns 405 there, and not 404.
async fn is_served(functions: &BTreeMap<&'static str, HttpFunction>, function: &str, path: &str) -> bool {
    let request = Request::builder().uri(path).method(Method::DELETE).body(Body::empty()).unwrap();
    let answer = functions[function].router.clone().oneshot(request).await.unwrap();
    answer.status() == StatusCode::METHOD_NOT_ALLOWED
}

#[tokio::test]
async fn operations_and_documents_are_served_by_their_function() {
    let registry = TestRegistry::start().await;
    let functions = local::functions::http(&registry.app);
    let routes = CATALOGUE.iter().flat_map(|operation| operation.routes);
    let operations = routes.map(|route| (if route.is_post() { "POST" } else { "GET" }, route.path));
    let documents = [DOCUMENTS, GUIDES, PAGES, ASSETS].into_iter().flatten().copied();
    let documents = documents.chain(std::iter::once(&OPENAPI)).flat_map(|document| document.paths);
    let documents = documents.map(|path| ("GET", *path));
    let (mut owned, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for (method, path) in operations.chain(documents) {
        assert!(owned.insert((method, path)), "{method} {path} has two owners");
        seen.insert(path);
        let path = path.replace("{name}", "live");
        let function = TEMPLATE.function_of(&path);
        assert!(is_served(&functions, function, &path).await, "{function} does not serve {path}");
    }
    // The signature covers the raw body, so the webhook is not an operation.
    let webhook = "/api/products/checkout/webhook";
    assert!(is_served(&functions, TEMPLATE.function_of(webhook), webhook).await);
    seen.insert(webhook);
    let exact: Vec<&str> = TEMPLATE
        .events("HttpApi")
        .into_iter()
        .filter(|(function, _)| {
            matches!(*function, "publish" | "listings" | "pages" | "products" | "talk" | "well-known")
        })
        .filter_map(|(_, route)| route["Path"].as_str())
        .filter(|path| !path.contains("{proxy+}") && *path != "$default" && *path != "/api/ard")
        .collect();
    for path in exact {
        assert!(seen.contains(path), "no operation or document has the route {path} of the template");
    }
}
