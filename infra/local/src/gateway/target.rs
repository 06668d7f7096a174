//! The function behind a route, called directly or through a Lambda event. Both transports give the same response, so
//! that development is fast and the tests still prove what the event format carries.

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
    router: Router,
    transport: Transport,
}

impl Target {
    pub(super) fn find(
        route: &Route,
        functions: &BTreeMap<&'static str, Router>,
        transport: Transport,
    ) -> Result<Self, GatewayError> {
        let route_key = match &route.path {
            None => "$default".to_owned(),
            Some(path) => format!("{} {path}", route.method.as_ref().map_or("ANY", Method::as_str)),
        };
        let Some(router) = functions.get(route.function.as_str()) else {
            return Err(GatewayError::UnknownFunction { route: route_key, function: route.function.clone() });
        };
        let router = match transport {
            Transport::Direct => router.clone(),
            #[cfg(feature = "as-events")]
            Transport::Events => behind_gateway(router.clone()),
        };
        Ok(Self { route_key: route_key.into(), router, transport })
    }

    pub(super) async fn call(&self, caller: IpAddr, request: Request<Bytes>) -> Response {
        match self.transport {
            Transport::Direct => self.call_directly(caller, request).await,
            #[cfg(feature = "as-events")]
            Transport::Events => event::call(&self.router, &self.route_key, caller, &request).await,
        }
    }

    // A new request, since the gateway's own path parameters in the extensions would reach the function's router.
    async fn call_directly(&self, caller: IpAddr, request: Request<Bytes>) -> Response {
        let (parts, body) = request.into_parts();
        let mut request = Request::new(Body::from(body));
        *request.method_mut() = parts.method;
        *request.uri_mut() = parts.uri;
        *request.version_mut() = parts.version;
        *request.headers_mut() = parts.headers;
        request.extensions_mut().insert(CallerAddress(caller));
        self.router.clone().oneshot(request).await.into_response()
    }
}
