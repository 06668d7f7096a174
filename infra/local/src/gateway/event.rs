//! A request as the event that API Gateway hands to Lambda (payload format 2.0), through the adapter that runs
//! there, and the answer back, with one trip through JSON each way: what Lambda would lose is lost here too.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header};
use lambda_http::request::LambdaRequest;
use lambda_http::{Adapter, Context, LambdaEvent, Service as _};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::response::gateway_response;
use crate::functions::Job;

/// The largest answer of a function, as JSON, in bytes (AWS: Lambda quotas, invocation payload).
pub(super) const RESPONSE_LIMIT: usize = 6 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub(super) enum InvokeError {
    #[error("the function failed: {0}")]
    Failed(String),
    #[error("the event or the answer is not what it should be: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the answer has {0} bytes, more than Lambda hands on")]
    Large(usize),
    #[error("the body is said to be base64 and is not: {0}")]
    Base64(#[from] base64::DecodeError),
    #[error("the status or a header is none: {0}")]
    Http(#[from] http::Error),
}

pub(super) async fn call<F: Future<Output = Result<String, InvokeError>>>(
    route_key: &str,
    caller: IpAddr,
    request: &Request<Bytes>,
    function: impl FnOnce(Value) -> F,
) -> Response {
    let answer = function(event(route_key, caller, request)).await;
    match answer.and_then(|answer| response(&answer)) {
        Ok(response) => response,
        Err(error) => {
            tracing::error!(route = route_key, lost = %error, "the function's answer did not come back");
            gateway_response(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error")
        }
    }
}

/// The answer of a function that is linked into this binary.
pub(super) async fn through_adapter(router: &Router, event: Value) -> Result<String, InvokeError> {
    let payload: LambdaRequest = serde_json::from_str(&event.to_string())?;
    // The adapter must be gone before the await: it is not Send, and its future is.
    let answer = Adapter::from(router.clone()).call(LambdaEvent::new(payload, Context::default()));
    let Ok(answer) = answer.await;
    Ok(serde_json::to_string(&answer)?)
}

/// The answer of a function that runs elsewhere.
pub(super) async fn through_runtime(job: &Job, event: Value) -> Result<String, InvokeError> {
    let answer = job(event).await.map_err(InvokeError::Failed)?;
    Ok(answer.to_string())
}

fn response(answer: &str) -> Result<Response, InvokeError> {
    if answer.len() > RESPONSE_LIMIT {
        return Err(InvokeError::Large(answer.len()));
    }
    serde_json::from_str::<FunctionResponse>(answer)?.into_response()
}

fn event(route_key: &str, caller: IpAddr, request: &Request<Bytes>) -> Value {
    static SERIAL: AtomicU64 = AtomicU64::new(0);
    let headers = request.headers();
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let path = request.uri().path();
    let now = jiff::Timestamp::now();
    let (body, is_base64) = encode_body(text(header::CONTENT_TYPE).unwrap_or_default(), request.body());
    json!({
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": path,
        "rawQueryString": request.uri().query().unwrap_or_default(),
        "cookies": cookies(headers),
        "headers": join_headers(headers),
        "requestContext": {
            "accountId": "anonymous",
            "apiId": "local",
            "domainName": text(header::HOST),
            "http": {
                "method": request.method().as_str(),
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": caller.to_string(),
                "userAgent": text(header::USER_AGENT),
            },
            "requestId": format!("local-{}", SERIAL.fetch_add(1, Ordering::Relaxed)),
            "routeKey": route_key,
            "stage": "$default",
            "time": now.strftime("%d/%b/%Y:%H:%M:%S +0000").to_string(),
            "timeEpoch": now.as_millisecond(),
        },
        "body": body,
        "isBase64Encoded": is_base64,
    })
}

/// API Gateway passes text as text and everything else as base64.
fn encode_body(content_type: &str, body: &Bytes) -> (Option<String>, bool) {
    if body.is_empty() {
        return (None, false);
    }
    let media = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let textual = media.starts_with("text/")
        || matches!(media.as_str(), "application/json" | "application/javascript" | "application/xml");
    match std::str::from_utf8(body) {
        Ok(text) if textual => (Some(text.to_owned()), false),
        _ => (Some(BASE64.encode(body)), true),
    }
}

/// Format 2.0 has one value per name, so repeated headers are joined by commas. Cookies have their own member.
fn join_headers(headers: &HeaderMap) -> Map<String, Value> {
    let names = headers.keys().filter(|name| **name != header::COOKIE);
    let pair = |name: &HeaderName| (name.to_string(), json!(values(headers, name).join(",")));
    names.map(pair).collect()
}

fn cookies(headers: &HeaderMap) -> Option<Vec<String>> {
    let all = values(headers, &header::COOKIE).join("; ");
    (!all.is_empty()).then(|| all.split("; ").map(str::to_owned).collect())
}

fn values(headers: &HeaderMap, name: &HeaderName) -> Vec<String> {
    headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect()
}

/// The response of a function in format 2.0.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FunctionResponse {
    status_code: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    cookies: Vec<String>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

impl FunctionResponse {
    fn into_response(self) -> Result<Response, InvokeError> {
        let body = match self.body {
            Some(body) if self.is_base64_encoded => Bytes::from(BASE64.decode(body)?),
            Some(body) => Bytes::from(body),
            None => Bytes::new(),
        };
        let mut response = Response::builder().status(self.status_code).body(Body::from(body))?;
        for (name, value) in self.headers {
            let name: HeaderName = name.parse().map_err(http::Error::from)?;
            // The server computes it from the body that it sends.
            if name != header::CONTENT_LENGTH {
                let value: HeaderValue = value.parse().map_err(http::Error::from)?;
                response.headers_mut().insert(name, value);
            }
        }
        for cookie in self.cookies {
            let cookie: HeaderValue = cookie.parse().map_err(http::Error::from)?;
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        Ok(response)
    }
}
