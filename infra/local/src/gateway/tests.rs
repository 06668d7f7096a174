//! Tests the gateway with small functions.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::connect_info::MockConnectInfo;
use axum::extract::{Path, Request};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header};
use http_body_util::BodyExt;
use registry::model::CallerAddress;
use registry::rest::MAX_BODY_BYTES;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::target::BODY_LIMIT;
use super::{BodyLimits, router};
use crate::functions::{DEFAULT, HttpFunction};

/// Returns the method, path, query, caller, values of `x-seen` and body of the request.
async fn echo(request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let caller = parts.extensions.get::<CallerAddress>().unwrap().0.to_string();
    let joined = |name: &str| {
        let values = parts.headers.get_all(name).iter().map(|value| value.to_str().unwrap().to_owned());
        values.collect::<Vec<_>>().join(",")
    };
    let line = format!("{} {} {:?}", parts.method, parts.uri.path(), parts.uri.query());
    let mut headers = HeaderMap::new();
    headers.insert("x-request", line.parse().unwrap());
    headers.insert("x-caller", caller.parse().unwrap());
    headers.insert("x-seen", joined("x-seen").parse().unwrap());
    headers.insert("x-cookies", joined("cookie").parse().unwrap());
    headers.append(header::LINK, "</a>; rel=a".parse().unwrap());
    headers.append(header::LINK, "</b>; rel=b".parse().unwrap());
    headers.append(header::SET_COOKIE, "a=1".parse().unwrap());
    headers.append(header::SET_COOKIE, "b=2".parse().unwrap());
    if let Some(content_type) = parts.headers.get(header::CONTENT_TYPE) {
        headers.insert(header::CONTENT_TYPE, content_type.clone());
    }
    (StatusCode::ACCEPTED, headers, body).into_response()
}

fn api() -> Router {
    let sleeper = || Router::new().fallback(|| tokio::time::sleep(Duration::from_secs(50)));
    let function =
        |router, seconds, paths| HttpFunction { router, timeout: Duration::from_secs(seconds), paths };
    let named = Router::new().route("/named/{name}", get(|Path(name): Path<String>| async move { name }));
    let rest = Router::new().fallback(|| async { (StatusCode::IM_A_TEAPOT, "rest") });
    let functions = BTreeMap::from([
        ("echo", function(Router::new().fallback(echo), 15, &["/echo", "/deep/"])),
        ("named", function(named, 15, &["/named/"])),
        ("slow", function(sleeper(), 15, &["/slow"])),
        ("slower", function(sleeper(), 60, &["/slower"])),
        (DEFAULT, function(rest, 15, &[])),
    ]);
    let peer = SocketAddr::from(([192, 0, 2, 7], 4711));
    router(functions, &BodyLimits::default()).layer(MockConnectInfo(peer))
}

async fn send(api: &Router, request: Request) -> (StatusCode, HeaderMap, Bytes) {
    let (parts, body) = api.clone().oneshot(request).await.unwrap().into_parts();
    (parts.status, parts.headers, body.collect().await.unwrap().to_bytes())
}

fn request(method: Method, uri: &str, body: impl Into<Body>) -> Request {
    Request::builder().method(method).uri(uri).header(header::HOST, "here").body(body.into()).unwrap()
}

#[tokio::test]
async fn gateway_passes_on_requests_and_responses_unchanged() {
    let mut sent = request(Method::PUT, "/echo?a=1&a=2&q=%C3%A4+b&empty=", (0..=255).collect::<Vec<u8>>());
    sent.headers_mut().insert(header::CONTENT_TYPE, "application/octet-stream".parse().unwrap());
    sent.headers_mut().append("x-seen", "one".parse().unwrap());
    sent.headers_mut().append("x-seen", "two".parse().unwrap());
    sent.headers_mut().insert(header::COOKIE, "c=3; d=4".parse().unwrap());
    let (status, headers, got) = send(&api(), sent).await;
    assert_eq!(status, StatusCode::ACCEPTED);
    assert_eq!(got, (0..=255).collect::<Vec<u8>>());
    assert_eq!(headers["x-request"], "PUT /echo Some(\"a=1&a=2&q=%C3%A4+b&empty=\")");
    assert_eq!(headers["x-seen"], "one,two");
    assert_eq!(headers["x-cookies"], "c=3; d=4");
    assert_eq!(headers["x-caller"], "192.0.2.7");
    assert_eq!(headers[header::CONTENT_TYPE], "application/octet-stream");
    let cookies: Vec<_> = headers.get_all(header::SET_COOKIE).iter().collect();
    assert_eq!(cookies, ["a=1", "b=2"]);
    let links: Vec<_> = headers.get_all(header::LINK).iter().collect();
    assert_eq!(links, ["</a>; rel=a", "</b>; rel=b"]);
}

#[tokio::test]
async fn precedence_of_routes_is_the_same_as_on_api_gateway() {
    let api = api();
    let named = send(&api, request(Method::GET, "/named/live.svg", "")).await;
    assert_eq!((named.0, &named.2[..]), (StatusCode::OK, &b"live.svg"[..]));
    let refused = send(&api, request(Method::POST, "/named/live.svg", "")).await;
    assert_eq!(refused.0, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(refused.1[header::ALLOW], "GET,HEAD");
    for uri in ["/deep", "/unknown", "/echo/"] {
        let (status, _, body) = send(&api, request(Method::GET, uri, "")).await;
        assert_eq!((status, &body[..]), (StatusCode::IM_A_TEAPOT, &b"rest"[..]), "{uri}");
    }
}

#[tokio::test]
async fn function_gets_the_path_as_it_was_sent() {
    for path in ["/deep/50%25%20off", "/deep/../a/./b", "/deep/%41", "/deep/a%2Fb/c", "/deep/a%3Fb"] {
        let (_, headers, _) = send(&api(), request(Method::GET, &format!("{path}?q=%25"), "")).await;
        assert_eq!(headers["x-request"], format!("GET {path} Some(\"q=%25\")"));
    }
}

#[tokio::test(start_paused = true)]
async fn timeout_of_the_function_and_of_the_gateway_have_different_answers() {
    for (path, seconds, status, message) in [
        ("/slow", 15, StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error"),
        ("/slower", 30, StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable"),
    ] {
        let before = tokio::time::Instant::now();
        let (found, _, body) = send(&api(), request(Method::GET, path, "")).await;
        assert_eq!((found, before.elapsed().as_secs()), (status, seconds));
        assert_eq!(serde_json::from_slice::<Value>(&body).unwrap(), json!({ "message": message }));
    }
}

#[tokio::test]
async fn request_body_is_limited_by_the_gateway() {
    let api = api();
    for (sent, kept) in [
        (MAX_BODY_BYTES, MAX_BODY_BYTES),
        (MAX_BODY_BYTES + 1, MAX_BODY_BYTES + 1),
        (BODY_LIMIT, MAX_BODY_BYTES + 1),
    ] {
        let (status, _, body) = send(&api, request(Method::POST, "/echo", vec![b'x'; sent])).await;
        assert_eq!((status, body.len()), (StatusCode::ACCEPTED, kept), "{sent} bytes");
    }
    let (status, _, body) = send(&api, request(Method::POST, "/echo", vec![b'x'; BODY_LIMIT + 1])).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(&body[..], br#"{"message":"Request Entity Too Large"}"#);
}
