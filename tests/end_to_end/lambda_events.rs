//! Sends the sample events to the functions as Lambda does. The samples are real events of API Gateway (2.0)
//! and EventBridge. The replies and the tables are the same as with plain HTTP.

use axum::Router;
use axum::body::Body;
use http::{Request, header};
use http_body_util::BodyExt as _;
use registry::app::App;
use tests::prelude::*;
use tests::sample_events;
use tests::template::{TEMPLATE, sample_event};
use tower::ServiceExt as _;

/// The host in the sample `publish` and `score` events. It is the registry's own host, so no test looks up a name.
const BASE_URL: &str = "https://agent.example.com";

/// Headers that the client does not choose.
const TRANSPORT_HEADERS: [&str; 6] =
    ["content-length", "host", "x-amzn-trace-id", "x-forwarded-for", "x-forwarded-port", "x-forwarded-proto"];

/// The HTTP events with their names. The publish event comes first.
fn http_events() -> Vec<(String, Value)> {
    let mut events = sample_events::all().unwrap();
    events.retain(|(_, event)| event["version"] == "2.0");
    events.sort_by_key(|(name, _)| (name != "publish", name.clone()));
    events
}

/// The function of a route in the template.
fn function(route_key: &str, app: &App) -> Router {
    let path = route_key.split(' ').next_back().unwrap();
    let (name, _) = TEMPLATE.events("HttpApi").into_iter().find(|(_, route)| route["Path"] == path).unwrap();
    local::functions::http(app)[name].router.clone()
}

/// Status, headers and body of a reply, without values that differ for each request.
async fn comparable(response: http::Response<Body>) -> (u16, Vec<(String, String)>, Value) {
    let (parts, body) = response.into_parts();
    let compared =
        [header::CONTENT_TYPE, header::CACHE_CONTROL, header::ETAG, header::RETRY_AFTER, header::ALLOW];
    let headers = compared
        .iter()
        .filter_map(|name| Some((name.to_string(), parts.headers.get(name)?.to_str().unwrap().to_owned())));
    assert!(parts.headers.contains_key("x-request-id"));
    let body = body.collect().await.unwrap().to_bytes();
    let body = serde_json::from_slice(&body)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&body).into()));
    (parts.status.as_u16(), headers.collect(), body)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn method(event: &Value) -> String {
    text(&event["requestContext"]["http"]["method"])
}

fn target(event: &Value) -> String {
    match text(&event["rawQueryString"]) {
        query if query.is_empty() => text(&event["rawPath"]),
        query => format!("{}?{query}", text(&event["rawPath"])),
    }
}

fn headers(event: &Value) -> Vec<(&str, &str)> {
    let all = event["headers"].as_object().unwrap().iter();
    let all = all.map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default()));
    all.filter(|(name, _)| !TRANSPORT_HEADERS.contains(name)).collect()
}

/// The HTTP request from which API Gateway made the event.
fn plain_request(event: &Value) -> Request<Body> {
    assert_ne!(event["isBase64Encoded"], true, "no sample has a binary body");
    let request = Request::builder().method(method(event).as_str()).uri(target(event));
    let request =
        headers(event).into_iter().fold(request, |request, (name, value)| request.header(name, value));
    request.body(Body::from(text(&event["body"]))).unwrap()
}

fn body_of(body: lambda_http::Body) -> Body {
    match body {
        lambda_http::Body::Text(text) => text.into(),
        lambda_http::Body::Binary(bytes) => bytes.into(),
        _ => Body::empty(),
    }
}

#[tokio::test]
async fn sample_events_get_the_same_replies_as_plain_http() {
    let registry = async |options: TestOptions| {
        // The secret and the time with which the sample of the Stripe webhook is signed.
        let options = options.with_setting("STRIPE_WEBHOOK_SECRET", "whsec_sample");
        TestRegistry::start_with(options.with_setting("BASE_URL", BASE_URL)).await
    };
    let (by_event, by_http) =
        (registry(TestOptions::public()).await, registry(TestOptions::public().without_events()).await);
    let by_gateway = registry(TestOptions::public()).await;
    let events = http_events();
    assert!(events.len() >= 9, "one sample of each group of routes");
    for (name, event) in &events {
        let route_key = text(&event["routeKey"]);
        let request = lambda_http::request::from_str(&event.to_string()).unwrap().map(body_of);
        let from_event =
            comparable(function(&route_key, &by_event.app).oneshot(request).await.unwrap()).await;
        let from_http =
            comparable(function(&route_key, &by_http.app).oneshot(plain_request(event)).await.unwrap()).await;
        assert_eq!(from_event, from_http, "{name}");
        assert!(from_event.0 < 500, "{name}: {from_event:?}");

        by_gateway.settle();
        let reply =
            by_gateway.send(&method(event), &target(event), &headers(event), &text(&event["body"])).await;
        assert_eq!((reply.status, &reply.body), (from_event.0, &from_event.2), "{name}");
    }
    let tables = [by_event.table().await, by_http.table().await, by_gateway.table().await];
    // These keys contain the address of the caller, which differs.
    let [first, second, third] = tables.map(|table| table.without(&["RATE#", "TASK"]));
    assert_eq!((first.difference(&second), first.difference(&third)), (vec![], vec![]));
}

#[test]
fn every_sample_event_is_covered() {
    let replayed: Vec<String> = http_events().into_iter().map(|(name, _)| name).collect();
    let names = sample_events::all().unwrap().into_iter().map(|(name, _)| name);
    let others = names.filter(|name| !replayed.contains(name));
    let mut others: Vec<String> = others.collect();
    others.sort_unstable();
    let jobs =
        "daily-connector listing-live listing-queued probe-tick recheck-part search-index weekly-recheck";
    assert_eq!(others, jobs.split(' ').collect::<Vec<_>>());
}

#[tokio::test]
async fn sample_events_of_schedules_and_the_event_bus_start_their_jobs() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    let queued = registry.publish_card(&peer.url("/queued/card.json")).await;
    let mut event = sample_event("listing-queued").unwrap();
    let sent = registry.events().remove(0);
    let shape =
        |event: &Value| -> Vec<String> { event["detail"].as_object().unwrap().keys().cloned().collect() };
    let sample = (&event["source"], &event["detail-type"], shape(&event));
    assert_eq!(sample, (&sent["source"], &sent["detail-type"], shape(&sent)));
    event["detail"] = sent["detail"].clone();
    assert_eq!(registry.run("probe-tick", event).await["ok"], 1);
    assert_eq!(registry.lane(&queued).await, "active");

    let ticked = registry.publish_card(&peer.url("/ticked/card.json")).await;
    assert_eq!(registry.run("probe-tick", sample_event("probe-tick").unwrap()).await["ok"], 1);
    assert_eq!(registry.lane(&ticked).await, "active");

    registry.advance(tests::test_registry::DAY * 7);
    assert_eq!(registry.run("weekly-recheck", sample_event("weekly-recheck").unwrap()).await["ok"], 2);

    let report = registry.run("daily-connector", sample_event("daily-connector").unwrap()).await;
    assert_eq!(report["invited"], 2);

    for foreign in [
        json!({}),
        json!({ "detail-type": "other" }),
        json!({ "detail-type": "listing.queued", "detail": { "listing_id": "x y" } }),
    ] {
        assert!(probe_tick::handle(&registry.app, foreign.clone()).await.is_err(), "{foreign}");
    }
}
