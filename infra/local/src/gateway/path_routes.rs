//! The routes of one path, with the limits of API Gateway. The route for the HTTP method is used first, then
//! the route for `ANY`, then `$default`.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::IpAddr;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::{Bytes, BytesMut};
use futures::stream;
use http::{Method, Request, StatusCode, header};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use registry::http::{CallerLimit, MAX_BODY_BYTES};
use registry::model::{Random, RequestId, TrustedProxy};

use super::error::gateway_response;
use super::target::Target;

/// In bytes (AWS: HTTP API quotas, payload size).
pub(super) const BODY_LIMIT: usize = 10 * 1024 * 1024;

/// AWS: HTTP API quotas, maximum integration timeout. The template's timeouts of functions are shorter.
const FUNCTION_TIMEOUT: Duration = Duration::from_secs(30);

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

/// Reads a body. Of a body that no route accepts, it keeps only one byte too many: then the function refuses the body in
/// the form of its protocol. The rest is read and dropped, because a client that still sends would not see the response.
async fn read(mut body: Body) -> Result<Bytes, Response> {
    let (mut kept, mut length) = (BytesMut::new(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| gateway_response(StatusCode::BAD_REQUEST, "Bad Request"))?;
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        if length > BODY_LIMIT {
            return Err(gateway_response(StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large"));
        }
        kept.extend_from_slice(&data[..data.len().min(MAX_BODY_BYTES + 1 - kept.len())]);
    }
    Ok(kept.freeze())
}

#[derive(Clone, Default)]
pub(super) struct PathRoutes {
    methods: BTreeMap<String, Target>,
    any: Option<Target>,
    default: Option<Target>,
}

impl PathRoutes {
    pub(super) fn add(&mut self, method: Option<Method>, target: Target) {
        match method {
            Some(method) => {
                self.methods.insert(method.to_string(), target);
            }
            None => self.any = Some(target),
        }
    }

    /// Falls back to the template's `$default` route, which is the same for every path.
    pub(super) fn or_default(self, default: Option<Target>) -> Self {
        Self { default, ..self }
    }

    pub(super) async fn answer(
        &self,
        connection: IpAddr,
        request: Request<Body>,
        limits: &BodyLimits,
    ) -> Response {
        let named_by = |proxy: &TrustedProxy| proxy.client(connection, request.headers());
        let caller = limits.proxy.as_ref().map_or(connection, named_by);
        let specific = self.methods.get(request.method().as_str());
        let Some(target) = specific.or(self.any.as_ref()).or(self.default.as_ref()) else {
            return gateway_response(StatusCode::NOT_FOUND, "Not Found");
        };
        let is_head = request.method() == Method::HEAD;
        let (parts, body) = request.into_parts();
        if !body.is_end_stream()
            && let Some(limit) = &limits.caller
            && let Err(problem) = limit.check(caller)
        {
            return problem.into_response();
        }
        let Ok(body) = tokio::time::timeout(limits.read_timeout, read(body)).await else {
            return gateway_response(StatusCode::REQUEST_TIMEOUT, "Request Timeout");
        };
        let body = match body {
            Ok(body) => body,
            Err(refusal) => return refusal,
        };
        let id = RequestId(limits.random.hex(16));
        let answer = target.call(caller, id, Request::from_parts(parts, body));
        match tokio::time::timeout(FUNCTION_TIMEOUT, answer).await {
            Ok(response) if is_head && !response.headers().contains_key(header::CONTENT_LENGTH) => {
                // An empty stream instead of an empty body, so that no `content-length: 0` is sent for HEAD.
                response.map(|_| Body::from_stream(stream::empty::<Result<Bytes, Infallible>>()))
            }
            Ok(response) => response,
            Err(_) => gateway_response(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable"),
        }
    }
}
