//! The HTTP API of the template on one machine: the same routes, in the same order of precedence, to the same
//! routers that run on Lambda, with the limits that API Gateway puts before them.

mod cors;
mod event;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use registry::lambda::behind_gateway;
use registry::model::CallerAddress;
use serde_json::json;
use tower::ServiceExt;

use crate::template::{Route, Template};

/// The largest request body that an HTTP API takes, in bytes (AWS: HTTP API quotas, payload size).
const BODY_LIMIT: usize = 10 * 1024 * 1024;

/// How long an HTTP API waits for a function (AWS: HTTP API quotas, maximum integration timeout).
const FUNCTION_LIMIT: Duration = Duration::from_secs(30);

/// How a request reaches its function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// As it came.
    #[default]
    Direct,
    /// As an API Gateway v2 event and back, as on Lambda: half as fast, and used to prove that nothing gets lost.
    Events,
}

/// Why the gateway cannot be built from the template.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The template routes to a function that this binary does not hold.
    #[error("the template routes {route} to function `{function}`, which is not part of this binary")]
    UnknownFunction {
        /// The route as the template has it.
        route: String,
        /// The function's crate.
        function: String,
    },
    /// The CORS configuration holds something that is no origin, method or header.
    #[error("the template's CorsConfiguration cannot be used: {0:?}")]
    Cors(String),
}

/// The whole HTTP API as one router. It needs the peer's address (`ConnectInfo<SocketAddr>`).
///
/// # Errors
/// A route to an unknown function, or an unusable CORS configuration.
pub fn router(
    template: &Template,
    functions: &BTreeMap<&'static str, Router>,
    transport: Transport,
) -> Result<Router, GatewayError> {
    let mut doors: BTreeMap<String, Door> = BTreeMap::new();
    let mut default = None;
    for route in &template.routes {
        let target = Target::find(route, functions, transport)?;
        match &route.path {
            None => default = Some(target),
            Some(path) => doors.entry(axum_path(path)).or_default().add(route.method.clone(), target),
        }
    }
    let mut router = Router::new();
    for (path, mut door) in doors {
        door.default.clone_from(&default);
        router = router.route(&path, served(door));
    }
    let router = router.fallback_service(served(Door { default, ..Door::default() }));
    Ok(match &template.cors {
        None => router,
        Some(cors) => router.layer(cors::layer(cors)?),
    })
}

/// `{proxy+}` takes the rest of the path, which axum writes `{*proxy}`. Parameters are named by their position, so
/// that two routes which call the same one differently are still one place.
fn axum_path(path: &str) -> String {
    let segments = path.split('/').enumerate().map(|(position, segment)| {
        let parameter = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        match parameter {
            Some(name) if name.ends_with('+') => format!("{{*p{position}}}"),
            Some(_) => format!("{{p{position}}}"),
            None => segment.to_owned(),
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

fn served(door: Door) -> axum::routing::MethodRouter {
    let door = Arc::new(door);
    any(move |ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request<Body>| {
        let door = Arc::clone(&door);
        async move { door.answer(peer.ip(), request).await }
    })
}

/// What stands behind one path: API Gateway prefers the route of the method, then `ANY`, then `$default`.
#[derive(Clone, Default)]
struct Door {
    methods: BTreeMap<String, Target>,
    any: Option<Target>,
    default: Option<Target>,
}

impl Door {
    fn add(&mut self, method: Option<Method>, target: Target) {
        match method {
            Some(method) => {
                self.methods.insert(method.to_string(), target);
            }
            None => self.any = Some(target),
        }
    }

    async fn answer(&self, caller: IpAddr, request: Request<Body>) -> Response {
        let specific = self.methods.get(request.method().as_str());
        let Some(target) = specific.or(self.any.as_ref()).or(self.default.as_ref()) else {
            return gateway_answer(StatusCode::NOT_FOUND, "Not Found");
        };
        let (parts, body) = request.into_parts();
        let body = match Limited::new(body, BODY_LIMIT).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => {
                return gateway_answer(StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large");
            }
            Err(_) => return gateway_answer(StatusCode::BAD_REQUEST, "Bad Request"),
        };
        let answer = target.call(caller, Request::from_parts(parts, body));
        match tokio::time::timeout(FUNCTION_LIMIT, answer).await {
            Ok(response) => response,
            Err(_) => gateway_answer(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable"),
        }
    }
}

/// A function and the route by which it is reached.
#[derive(Clone)]
struct Target {
    route_key: Arc<str>,
    router: Router,
    transport: Transport,
}

impl Target {
    fn find(
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
            Transport::Events => behind_gateway(router.clone()),
        };
        Ok(Self { route_key: route_key.into(), router, transport })
    }

    async fn call(&self, caller: IpAddr, request: Request<Bytes>) -> Response {
        match self.transport {
            Transport::Direct => self.call_directly(caller, request).await,
            Transport::Events => event::call(&self.router, &self.route_key, caller, &request).await,
        }
    }

    // Built anew, because the gateway's own path parameters in the extensions would be handed to the function's.
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

/// An answer that API Gateway gives by itself, in its own shape.
fn gateway_answer(status: StatusCode, message: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], json!({ "message": message }).to_string())
        .into_response()
}

#[cfg(test)]
mod tests;
