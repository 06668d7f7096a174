//! Converts a request to the event that API Gateway sends to Lambda (payload format 2.0), and converts the answer back.
//! Both are converted to JSON text and back, so everything that Lambda would lose is also lost here.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use futures::future::{FutureExt as _, TryFutureExt as _};
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header};
use lambda_http::request::LambdaRequest;
use lambda_http::{Adapter, Context, LambdaEvent, Service as _};
use percent_encoding::percent_decode_str;
use registry::lambda::events::{behind_gateway, with_encoded_path};
use registry::model::RequestId;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::error::gateway_response;
use crate::functions::Job;

/// In bytes of JSON (AWS: Lambda quotas, invocation payload).
pub(super) const RESPONSE_LIMIT: usize = 6 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub(super) enum InvokeError {
    #[error("the function failed: {0}")]
    Failed(String),
    #[error("invalid event or answer: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the answer has {0} bytes; Lambda allows {RESPONSE_LIMIT}")]
    Large(usize),
    #[error("the body is not valid base64: {0}")]
    Base64(#[from] base64::DecodeError),
    #[error("invalid status or header: {0}")]
    Http(#[from] http::Error),
}

/// A function of this binary as a job for events, through the adapter that runs on Lambda.
pub(super) fn job(router: Router) -> Job {
    let router = behind_gateway(router, None);
    Arc::new(move |event| {
        let router = router.clone();
        async move {
            let payload: LambdaRequest = serde_json::from_str(&event.to_string())?;
            // The adapter is dropped before the await: it is not `Send`, but its future is.
            let answer =
                Adapter::from(router).call(with_encoded_path(LambdaEvent::new(payload, Context::default())));
            let Ok(answer) = answer.await;
            serde_json::to_value(&answer)
        }
        .map_err(|error| error.to_string())
        .boxed()
    })
}

pub(super) async fn call(
    route_key: &str,
    caller: IpAddr,
    id: &RequestId,
    request: &Request<Bytes>,
    job: &Job,
) -> Response {
    let answer = job(event(route_key, caller, id, request)).await.map_err(InvokeError::Failed);
    match answer.and_then(|answer| response(&answer.to_string())) {
        Ok(response) => response,
        Err(error) => {
            tracing::error!(route = route_key, %error, "function call failed");
            gateway_response(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error")
        }
    }
}

fn response(answer: &str) -> Result<Response, InvokeError> {
    if answer.len() > RESPONSE_LIMIT {
        return Err(InvokeError::Large(answer.len()));
    }
    serde_json::from_str::<FunctionResponse>(answer)?.into_response()
}

fn event(route_key: &str, caller: IpAddr, id: &RequestId, request: &Request<Bytes>) -> Value {
    let headers = request.headers();
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let path = raw_path(request.uri().path());
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
            "requestId": id.0,
            "routeKey": route_key,
            "stage": "$default",
            "time": now.strftime("%d/%b/%Y:%H:%M:%S +0000").to_string(),
            "timeEpoch": now.as_millisecond(),
        },
        "body": body,
        "isBase64Encoded": is_base64,
    })
}

/// HTTP APIs decode the path, and cut it at a decoded `?` (live captures in middleapi/standard-server#93).
fn raw_path(path: &str) -> String {
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    decoded.split('?').next().unwrap_or_default().to_owned()
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
            // The server computes it from the body.
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
