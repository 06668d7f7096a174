//! The function behind a route.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{Method, Request, StatusCode};
use registry::model::{CallerAddress, RequestId};
use tower::ServiceExt;

use super::error::{GatewayError, gateway_response};
use crate::template::Route;

/// The function that answered, as an extension of the response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnsweredBy(pub(crate) &'static str);

#[derive(Clone)]
pub(super) struct Target {
    name: &'static str,
    function: Router,
    timeout: Duration,
}

impl Target {
    pub(super) fn new(
        route: &Route,
        functions: &BTreeMap<&'static str, Router>,
        timeout: Duration,
    ) -> Result<Self, GatewayError> {
        match functions.get_key_value(route.function.as_str()) {
            Some((name, function)) => Ok(Self { name, function: function.clone(), timeout }),
            None => {
                let route_key = match &route.path {
                    None => "$default".to_owned(),
                    Some(path) => format!("{} {path}", route.method.as_ref().map_or("ANY", Method::as_str)),
                };
                Err(GatewayError::UnknownFunction { route: route_key, function: route.function.clone() })
            }
        }
    }

    /// The answer of the function. HTTP APIs report the timeout of a function as an error of the function
    /// (`denoland/deno_registry2` issue 87).
    pub(super) async fn call(&self, caller: IpAddr, id: RequestId, request: Request<Bytes>) -> Response {
        let answer = call(self.function.clone(), caller, id, request);
        let mut response = tokio::time::timeout(self.timeout, answer).await.unwrap_or_else(|_| {
            tracing::error!(function = self.name, timeout = ?self.timeout, "function timed out");
            gateway_response(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error")
        });
        response.extensions_mut().insert(AnsweredBy(self.name));
        response
    }
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
