//! Tests the routes: each operation and document reaches its function, and each route has a sample event.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use lambda_http::RequestExt;
use local::functions::{DEFAULT, HttpFunction};
use registry::discovery::GUIDES;
use registry::documents::DOCUMENTS;
use registry::features::CATALOGUE;
use registry::openapi::OPENAPI;
use registry::pages::{ASSETS, PAGES};
use tests::prelude::*;
use tests::sample_events;
use tests::template::TEMPLATE;
use tower::ServiceExt as _;

#[test]
fn every_route_has_a_valid_sample_event() {
    let key = |path: &str| if path == "$default" { path.to_owned() } else { format!("ANY {path}") };
    let routes: BTreeSet<String> = TEMPLATE.routes().into_iter().map(|(path, _)| key(path)).collect();
    assert!(TEMPLATE.events("HttpApi").iter().all(|(_, route)| route["Method"] == "ANY"));

    let mut sampled = BTreeSet::new();
    for (name, event) in sample_events::all() {
        let Some(route) = event["routeKey"].as_str() else { continue };
        assert_eq!(event["requestContext"]["routeKey"], route, "{name}");
        sampled.insert(route.to_owned());

        let request = lambda_http::request::from_str(&event.to_string()).unwrap();
        assert_eq!(request.raw_http_path(), event["rawPath"].as_str().unwrap(), "{name}");
        assert_eq!(request.method().as_str(), event["requestContext"]["http"]["method"], "{name}");
        assert_eq!(TEMPLATE.route_key(request.raw_http_path()), route, "{name}");
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
        let (_, function) = TEMPLATE.route_of(&path);
        assert!(is_served(&functions, function, &path).await, "{function} does not serve {path}");
    }
    // The signature covers the raw body, so the webhook is not an operation.
    let webhook = "/api/products/checkout/webhook";
    assert!(is_served(&functions, TEMPLATE.route_of(webhook).1, webhook).await);
    let exact = TEMPLATE.routes().into_iter().filter(|(path, _)| !path.ends_with("{proxy+}"));
    for (path, function) in exact.filter(|(path, _)| *path != "$default") {
        let is_endpoint = seen.contains(path) || is_served(&functions, function, path).await;
        assert!(is_endpoint, "no operation, document or protocol has the route {path} of the template");
    }
}

/// The template has the paths of the functions, and no others.
#[tokio::test]
async fn routes_are_the_paths_of_the_functions() {
    let registry = TestRegistry::start().await;
    let functions = local::functions::http(&registry.app);
    let route = |path: &str| if path.ends_with('/') { format!("{path}{{proxy+}}") } else { path.to_owned() };
    let paths =
        functions.iter().flat_map(|(name, function)| function.paths.iter().map(|path| (route(path), *name)));
    let paths: BTreeMap<String, &str> = paths.chain([("$default".to_owned(), DEFAULT)]).collect();
    let routes = TEMPLATE.routes().into_iter().map(|(path, function)| (path.to_owned(), function));
    assert_eq!(paths, routes.collect());
}

/// The functions that may get a path. The documentation of HTTP APIs leaves two things open: whether `{proxy+}` matches an empty
/// rest, and whether a slash at the end counts.
fn candidates(path: &str) -> BTreeSet<&'static str> {
    let mut variants = vec![path.to_owned()];
    if let Some(bare) = path.strip_suffix('/').filter(|bare| !bare.is_empty()) {
        variants.extend([bare.to_owned(), format!("{path}rest")]);
    }
    variants.iter().map(|path| TEMPLATE.route_of(path).1).collect()
}

/// Status, methods and body of the answer of a function; a redirect is followed.
async fn answer(
    functions: &BTreeMap<&'static str, HttpFunction>,
    function: &str,
    (method, path): (&str, &str),
) -> (StatusCode, String, String) {
    let request = Request::builder().uri(path).method(method).header("content-type", "application/json");
    let answer =
        functions[function].router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let header =
        |name: &str| answer.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
    if answer.status() == StatusCode::PERMANENT_REDIRECT {
        let to = header("location");
        return Box::pin(self::answer(functions, TEMPLATE.route_of(&to).1, (method, &to))).await;
    }
    let (status, allow) = (answer.status(), header("allow"));
    if status == StatusCode::NOT_FOUND {
        // Below the A2A endpoint, errors have the form of A2A.
        return (status, allow, String::new());
    }
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    // An error names the path, with or without the slash.
    (status, allow, String::from_utf8_lossy(&body).replace(&format!("`{path}`"), "`path`"))
}

/// What a client of the contract sends: every method and path of a run of the acceptance suite.
const ACCEPTANCE: &str = include_str!("acceptance_paths.txt");

#[tokio::test]
async fn every_function_that_may_get_a_path_answers_alike() {
    let registry = TestRegistry::start().await;
    let functions = local::functions::http(&registry.app);
    let mut compared = BTreeSet::new();
    for line in ACCEPTANCE.lines() {
        let (method, path) = line.split_once(' ').unwrap();
        for path in [path.to_owned(), format!("{path}/")] {
            let all = candidates(&path);
            let mut answers = Vec::new();
            for function in all.iter().filter(|_| all.len() > 1) {
                answers.push((function, answer(&functions, function, (method, &path)).await));
            }
            for pair in answers.windows(2) {
                assert_eq!(pair[0].1, pair[1].1, "{} and {} for {method} {path}", pair[0].0, pair[1].0);
                compared.insert(path.clone());
            }
        }
    }
    assert!(compared.len() > 10, "{compared:?}");
}
