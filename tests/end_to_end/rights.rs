//! Every function may access only the partitions in `tests::rights::RIGHTS`. All end-to-end tests check this. These
//! tests call every operation over every protocol, every document and page, and every job. As on AWS, each function has
//! its own caches, so that none profits from what another has read.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use local::gateway::BodyLimits;
use registry::app::App;
use registry::discovery::GUIDES;
use registry::documents::DOCUMENTS;
use registry::features::CATALOGUE;
use registry::openapi::OPENAPI;
use registry::pages::{ASSETS, PAGES};
use tests::instrumented::with_rights;
use tests::prelude::*;
use tower::ServiceExt as _;

use crate::economy::costs::{OPERATOR_TOKEN, SharedPeers, SmallRegistry};
use crate::protocols::all_protocols::{PROTOCOLS, calls};

/// The gateway before functions that share nothing but the table.
fn separate_functions(app: &App) -> Router {
    let mut functions = local::functions::http(app);
    for (name, function) in &mut functions {
        let own_app = app.clone().at(Some(app.settings.base_url.clone()));
        let own = local::functions::http(&own_app).remove(name).unwrap();
        function.router = with_rights(name, own.router);
    }
    local::gateway::router(functions, &BodyLimits::default())
}

async fn send(gateway: &Router, method: &str, path: &str, body: Option<&Value>) -> (StatusCode, String) {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("authorization", format!("Bearer {OPERATOR_TOKEN}"))
        .extension(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 9))));
    if body.is_some() {
        request = request.header("content-type", "application/json");
    }
    let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
    let response = gateway.clone().oneshot(request.body(body).unwrap()).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8_lossy(&body).into_owned())
}

fn assert_no_denials(registry: &TestRegistry, what: &str) {
    let denials = registry.observer.denials.snapshot();
    let denials: Vec<String> = denials.into_iter().collect();
    assert!(denials.is_empty(), "{what}:\n{}", denials.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_has_its_rights_in_every_protocol() {
    let peers = SharedPeers::start().await;
    for protocol in PROTOCOLS {
        let small = SmallRegistry::start(&peers).await;
        let gateway = separate_functions(&small.registry.app);
        let mut called = 0;
        for operation in CATALOGUE {
            for (method, path, body) in calls(protocol, operation, &small.arguments(operation, &peers)) {
                let (status, answer) = send(&gateway, method, &path, body.as_ref()).await;
                called += 1;
                assert_no_denials(&small.registry, &format!("{protocol:?}: {method} {path} {body:?}"));
                // A peer registry that does not exist is a 502 or 503.
                let is_fine = !status.is_server_error() || operation.name.starts_with("federation_");
                assert!(is_fine, "{protocol:?}: {method} {path}: {status} {answer}");
            }
        }
        assert!(called >= CATALOGUE.len() / 2, "{protocol:?}: {called} calls");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_document_page_and_job_has_its_rights() {
    let peers = SharedPeers::start().await;
    let small = SmallRegistry::start(&peers).await;
    let registry = &small.registry;
    for _ in 0..2 {
        registry.recheck().await;
        registry.tick().await;
        registry.index().await;
        registry.reach_out().await;
        registry.advance(tests::test_registry::DAY);
    }
    assert_no_denials(registry, "the jobs");
    let lists = [DOCUMENTS, GUIDES, PAGES, ASSETS].into_iter().flatten().copied();
    let paths = lists.chain(std::iter::once(&OPENAPI)).flat_map(|document| document.paths.iter().copied());
    let others =
        ["/log", "/log/checkpoint", "/log/tile/0/000", "/api/a2a/tasks", "/v0.1/servers", "/v0/servers"];
    let of_listing =
        ["/list/{id}", "/log/proof?listing_id={id}", "/badge/live.svg?id={id}", "/api/talk?listing_id={id}"];
    let mut requested = 0;
    for path in paths.chain(others).chain(of_listing) {
        let path = path.replace("{name}", "live").replace("{id}", small.agent.as_str());
        // Each with empty caches.
        let (status, answer) = send(&separate_functions(&registry.app), "GET", &path, None).await;
        requested += 1;
        assert_no_denials(registry, &path);
        assert!(!status.is_server_error(), "{path}: {status} {answer}");
    }
    assert!(requested > 60, "{requested} paths");
}
