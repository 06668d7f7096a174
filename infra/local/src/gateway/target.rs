//! The function behind a route. A function in this binary is called directly or with a Lambda event. A
//! packaged binary is called only with events. Tests compare the responses of these three ways.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{Method, Request, StatusCode};
use registry::model::{CallerAddress, RequestId};
use tower::ServiceExt;

use super::error::{GatewayError, gateway_response};
#[cfg(feature = "as-events")]
use super::event;
use crate::engine::instrumented::as_function;
#[cfg(feature = "as-events")]
use crate::functions::Job;
use crate::template::Route;

/// How a request reaches its function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// The request itself, without a conversion.
    #[default]
    Direct,
    /// As an API Gateway event, as on Lambda: half as fast; tests use it to prove that nothing is lost.
    #[cfg(feature = "as-events")]
    Events,
}

impl Transport {
    pub(super) fn function(self, router: Router) -> Function {
        match self {
            Self::Direct => Function::Direct(router),
            #[cfg(feature = "as-events")]
            Self::Events => Function::Events(event::job(router)),
        }
    }
}

#[derive(Clone)]
pub(super) enum Function {
    Direct(Router),
    #[cfg(feature = "as-events")]
    Events(Job),
}

/// The function that answered, as an extension of the response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnsweredBy(pub(crate) &'static str);

#[derive(Clone)]
pub(super) struct Target {
    #[cfg_attr(not(feature = "as-events"), expect(dead_code, reason = "only events contain the route"))]
    route_key: Arc<str>,
    name: &'static str,
    function: Function,
    timeout: Duration,
}

impl Target {
    pub(super) fn new<F: Clone>(
        route: &Route,
        functions: &BTreeMap<&'static str, F>,
        function: impl Fn(F) -> Function,
        timeout: Duration,
    ) -> Result<Self, GatewayError> {
        let route_key = match &route.path {
            None => "$default".to_owned(),
            Some(path) => format!("{} {path}", route.method.as_ref().map_or("ANY", Method::as_str)),
        };
        match functions.get_key_value(route.function.as_str()) {
            Some((name, found)) => {
                Ok(Self { route_key: route_key.into(), name, function: function(found.clone()), timeout })
            }
            None => Err(GatewayError::UnknownFunction { route: route_key, function: route.function.clone() }),
        }
    }

    /// The answer of the function. HTTP APIs report the timeout of a function as an error of the function
    /// (`denoland/deno_registry2` issue 87).
    pub(super) async fn call(&self, caller: IpAddr, id: RequestId, request: Request<Bytes>) -> Response {
        let answer = async {
            match &self.function {
                Function::Direct(router) => {
                    as_function(self.name, call_directly(router.clone(), caller, id, request)).await
                }
                #[cfg(feature = "as-events")]
                Function::Events(job) => {
                    as_function(self.name, event::call(&self.route_key, caller, &id, &request, job)).await
                }
            }
        };
        let mut response = tokio::time::timeout(self.timeout, answer).await.unwrap_or_else(|_| {
            tracing::error!(function = self.name, timeout = ?self.timeout, "function timed out");
            gateway_response(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error")
        });
        response.extensions_mut().insert(AnsweredBy(self.name));
        response
    }
}

/// Builds a new request, because the gateway's path parameters in the extensions would reach the function's router.
async fn call_directly(router: Router, caller: IpAddr, id: RequestId, request: Request<Bytes>) -> Response {
    let (parts, body) = request.into_parts();
    let mut request = Request::new(Body::from(body));
    *request.method_mut() = parts.method;
    *request.uri_mut() = parts.uri;
    *request.version_mut() = parts.version;
    *request.headers_mut() = parts.headers;
    request.extensions_mut().insert(CallerAddress(caller));
    request.extensions_mut().insert(id);
    router.oneshot(request).await.into_response()
}
