//! The function behind a route: linked into this binary and called directly or through a Lambda event, or a packaged
//! binary that takes events only. All give the same response, so that tests can prove what the event format carries.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{Method, Request};
#[cfg(feature = "as-events")]
use registry::lambda::behind_gateway;
use registry::model::CallerAddress;
use tower::ServiceExt;

use super::error::GatewayError;
#[cfg(feature = "as-events")]
use super::event;
#[cfg(feature = "as-events")]
use crate::functions::Job;
use crate::template::Route;

/// How a request reaches its function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// The request itself, without a conversion.
    #[default]
    Direct,
    /// As an API Gateway v2 event and back, as on Lambda: half as fast, and used to prove that nothing is lost.
    #[cfg(feature = "as-events")]
    Events,
}

/// A function and the route by which it is reached.
#[derive(Clone)]
pub(super) struct Target {
    #[cfg_attr(not(feature = "as-events"), expect(dead_code, reason = "only an event names its route"))]
    route_key: Arc<str>,
    function: Function,
}

#[derive(Clone)]
enum Function {
    Direct(Router),
    #[cfg(feature = "as-events")]
    Events(Router),
    #[cfg(feature = "as-events")]
    Packaged(Job),
}

impl Target {
    pub(super) fn linked(
        route: &Route,
        functions: &BTreeMap<&'static str, Router>,
        transport: Transport,
    ) -> Result<Self, GatewayError> {
        let router = find(route, functions)?;
        let function = match transport {
            Transport::Direct => Function::Direct(router),
            #[cfg(feature = "as-events")]
            Transport::Events => Function::Events(behind_gateway(router)),
        };
        Ok(Self { route_key: route_key(route).into(), function })
    }

    #[cfg(feature = "as-events")]
    pub(super) fn packaged(
        route: &Route,
        functions: &BTreeMap<&'static str, Job>,
    ) -> Result<Self, GatewayError> {
        let function = Function::Packaged(find(route, functions)?);
        Ok(Self { route_key: route_key(route).into(), function })
    }

    pub(super) async fn call(&self, caller: IpAddr, request: Request<Bytes>) -> Response {
        match &self.function {
            Function::Direct(router) => call_directly(router.clone(), caller, request).await,
            #[cfg(feature = "as-events")]
            Function::Events(router) => {
                event::call(&self.route_key, caller, &request, |event| event::through_adapter(router, event))
                    .await
            }
            #[cfg(feature = "as-events")]
            Function::Packaged(job) => {
                event::call(&self.route_key, caller, &request, |event| event::through_runtime(job, event))
                    .await
            }
        }
    }
}

fn route_key(route: &Route) -> String {
    match &route.path {
        None => "$default".to_owned(),
        Some(path) => format!("{} {path}", route.method.as_ref().map_or("ANY", Method::as_str)),
    }
}

fn find<F: Clone>(route: &Route, functions: &BTreeMap<&'static str, F>) -> Result<F, GatewayError> {
    functions.get(route.function.as_str()).cloned().ok_or_else(|| GatewayError::UnknownFunction {
        route: route_key(route),
        function: route.function.clone(),
    })
}

// A new request, since the gateway's own path parameters in the extensions would reach the function's router.
async fn call_directly(router: Router, caller: IpAddr, request: Request<Bytes>) -> Response {
    let (parts, body) = request.into_parts();
    let mut request = Request::new(Body::from(body));
    *request.method_mut() = parts.method;
    *request.uri_mut() = parts.uri;
    *request.version_mut() = parts.version;
    *request.headers_mut() = parts.headers;
    request.extensions_mut().insert(CallerAddress(caller));
    router.oneshot(request).await.into_response()
}
