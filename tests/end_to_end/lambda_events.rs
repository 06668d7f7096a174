//! Sends the sample events to the functions as Lambda does. The samples are real events of API Gateway (2.0)
//! and EventBridge. The replies and the tables are the same as with plain HTTP.

use axum::body::Body;
use http_body_util::BodyExt as _;
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
    let mut events = sample_events::all();
    events.retain(|(_, event)| event["version"] == "2.0");
    events.sort_by_key(|(name, _)| (name != "publish", name.clone()));
    events
}

/// The headers of a reply that must be the same.
const COMPARED: [&str; 5] = ["content-type", "cache-control", "etag", "retry-after", "allow"];

async fn reply_of(response: http::Response<Body>) -> Reply {
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let text = String::from_utf8_lossy(&body);
    let body = serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.into_owned()));
    Reply { status: parts.status.as_u16(), headers: parts.headers, body }
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

fn body_of(body: lambda_http::Body) -> Body {
    match body {
        lambda_http::Body::Text(text) => text.into(),
        lambda_http::Body::Binary(bytes) => bytes.into(),
        _ => Body::empty(),
    }
}

#[tokio::test]
async fn sample_events_get_the_same_replies_as_plain_http() {
    let start = async |options: TestOptions| {
        // The secret and the time with which the sample of the Stripe webhook is signed.
        let options = options.with_setting("STRIPE_WEBHOOK_SECRET", "whsec_sample");
        TestRegistry::start_with(options.with_setting("BASE_URL", BASE_URL)).await
    };
    let (public, plain) = (TestOptions::public(), TestOptions::public().without_events());
    let (direct, gateways) = (start(public.clone()).await, [start(public).await, start(plain).await]);
    let events = http_events();
    assert!(events.len() >= 9, "one sample of each group of routes");
    for (name, event) in &events {
        let request = lambda_http::request::from_str(&event.to_string()).unwrap().map(body_of);
        let (_, function) = TEMPLATE.route_of(event["rawPath"].as_str().unwrap());
        let router = local::functions::http(&direct.app)[function].router.clone();
        let expected = reply_of(router.oneshot(request).await.unwrap()).await;
        assert!(expected.status < 500 && !expected.header("x-request-id").is_empty(), "{name}: {expected:?}");
        for gateway in &gateways {
            gateway.settle();
            let reply =
                gateway.send(&method(event), &target(event), &headers(event), &text(&event["body"])).await;
            assert_eq!((reply.status, &reply.body), (expected.status, &expected.body), "{name}");
            for header in COMPARED {
                assert_eq!(reply.header(header), expected.header(header), "{header} of {name}");
            }
        }
    }
    // These keys contain the address of the caller, which differs.
    let table = async |registry: &TestRegistry| registry.table().await.without(&["RATE#", "TASK"]);
    for gateway in &gateways {
        assert_eq!(table(&direct).await.difference(&table(gateway).await), [""; 0]);
    }
}

#[tokio::test]
async fn sample_events_of_schedules_and_the_event_bus_start_their_jobs() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    let queued = registry.publish_card(&peer.url("/queued/card.json")).await;
    let mut event = sample_event("listing-queued");
    let sent = registry.events().remove(0);
    let shape =
        |event: &Value| -> Vec<String> { event["detail"].as_object().unwrap().keys().cloned().collect() };
    let sample = (&event["source"], &event["detail-type"], shape(&event));
    assert_eq!(sample, (&sent["source"], &sent["detail-type"], shape(&sent)));
    event["detail"] = sent["detail"].clone();
    assert_eq!(registry.run("probe-tick", event).await["ok"], 1);
    assert_eq!(registry.lane(&queued).await, "active");

    let ticked = registry.publish_card(&peer.url("/ticked/card.json")).await;
    assert_eq!(registry.run("probe-tick", sample_event("probe-tick")).await["ok"], 1);
    assert_eq!(registry.lane(&ticked).await, "active");

    registry.advance(tests::test_registry::DAY * 7);
    assert_eq!(registry.run("weekly-recheck", sample_event("weekly-recheck")).await["ok"], 2);

    let report = registry.run("daily-connector", sample_event("daily-connector")).await;
    assert_eq!(report["invited"], 2);

    for foreign in [
        json!({}),
        json!({ "detail-type": "other" }),
        json!({ "detail-type": "listing.queued", "detail": { "listing_id": "x y" } }),
    ] {
        assert!(probe_tick::handle(&registry.app, foreign.clone()).await.is_err(), "{foreign}");
    }
}
