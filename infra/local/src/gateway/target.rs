//! The function behind a route, with the limits of API Gateway.

use std::convert::Infallible;
use std::net::IpAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures::stream;
use http::{Method, Request, StatusCode, header};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use registry::model::{CallerAddress, Random, RequestId};
use registry::rest::{CallerLimit, MAX_BODY_BYTES, Refused};
use registry::settings::TrustedProxy;
use serde_json::json;
use tower::ServiceExt;

use crate::functions::HttpFunction;

/// In bytes (AWS: HTTP API quotas, payload size).
pub(super) const BODY_LIMIT: usize = 10 * 1024 * 1024;

/// AWS: HTTP API quotas, maximum integration timeout. The timeouts of the functions are shorter.
const FUNCTION_TIMEOUT: Duration = Duration::from_secs(30);

/// The function that answered, as an extension of the response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnsweredBy(pub(crate) &'static str);

/// What applies before the body of a request is read.
#[derive(Clone, Debug)]
pub struct BodyLimits {
    /// The proxy that names the caller.
    pub proxy: Option<TrustedProxy>,
    /// How long a client may take to send a body.
    pub read_timeout: Duration,
    /// How often a caller may send a body.
    pub caller: Option<CallerLimit>,
    /// Makes the ids of requests.
    pub random: Random,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self { proxy: None, read_timeout: FUNCTION_TIMEOUT, caller: None, random: Random::System }
    }
}

pub(super) struct Target {
    pub(super) name: &'static str,
    pub(super) function: HttpFunction,
    pub(super) limits: BodyLimits,
}

impl Target {
    pub(super) async fn answer(&self, connection: IpAddr, request: Request<Body>) -> Response {
        let limits = &self.limits;
        let named_by = |proxy: &TrustedProxy| proxy.client(connection, request.headers());
        let caller = limits.proxy.as_ref().map_or(connection, named_by);
        let is_head = request.method() == Method::HEAD;
        let (parts, body) = request.into_parts();
        if !body.is_end_stream()
            && let Some(limit) = &limits.caller
            && let Err(problem) = limit.check(caller)
        {
            return Refused(problem).into_response();
        }
        let Ok(body) = tokio::time::timeout(limits.read_timeout, read_body(body)).await else {
            return gateway_response(StatusCode::REQUEST_TIMEOUT, "Request Timeout");
        };
        let body = match body {
            Ok(body) => body,
            Err(refusal) => return refusal,
        };
        let id = RequestId(limits.random.hex(16));
        let answer = self.call(caller, id, Request::from_parts(parts, body));
        match tokio::time::timeout(FUNCTION_TIMEOUT, answer).await {
            Ok(response) if is_head && !response.headers().contains_key(header::CONTENT_LENGTH) => {
                // An empty stream instead of an empty body, so that no `content-length: 0` is sent for HEAD.
                response.map(|_| Body::from_stream(stream::empty::<Result<Bytes, Infallible>>()))
            }
            Ok(response) => response,
            Err(_) => gateway_response(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable"),
        }
    }

    /// The answer of the function. HTTP APIs report the timeout of a function as an error of the function
    /// (`denoland/deno_registry2` issue 87).
    async fn call(&self, caller: IpAddr, id: RequestId, request: Request<Bytes>) -> Response {
        let HttpFunction { router, timeout, .. } = &self.function;
        let answer = call(router.clone(), caller, id, request);
        let mut response = tokio::time::timeout(*timeout, answer).await.unwrap_or_else(|_| {
            tracing::error!(function = self.name, ?timeout, "function timed out");
            gateway_response(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error")
        });
        response.extensions_mut().insert(AnsweredBy(self.name));
        response
    }
}

/// Reads a body. A body that no route accepts is cut one byte after the limit: then the function refuses the body
/// in the form of its protocol. The rest is read and dropped, because a client that still sends would not see the response.
async fn read_body(mut body: Body) -> Result<Bytes, Response> {
    let (mut bytes, mut length) = (BytesMut::new(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| gateway_response(StatusCode::BAD_REQUEST, "Bad Request"))?;
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        if length > BODY_LIMIT {
            return Err(gateway_response(StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large"));
        }
        bytes.extend_from_slice(&data[..data.len().min(MAX_BODY_BYTES + 1 - bytes.len())]);
    }
    Ok(bytes.freeze())
}

/// Builds a new request, because the gateway's path parameters in the extensions would reach the function's router.
async fn call(function: Router, caller: IpAddr, id: RequestId, request: Request<Bytes>) -> Response {
    let (parts, body) = request.into_parts();
    let mut request = Request::new(Body::from(body));
    *request.method_mut() = parts.method;
    *request.uri_mut() = parts.uri;
    *request.version_mut() = parts.version;
    *request.headers_mut() = parts.headers;
    request.extensions_mut().insert(CallerAddress(caller));
    request.extensions_mut().insert(id);
    function.oneshot(request).await.into_response()
}

/// An error that API Gateway returns without a function. Its JSON differs from the functions' problem documents.
fn gateway_response(status: StatusCode, message: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, json!({ "message": message }).to_string()).into_response()
}
