//! The HTTP API of the template on one machine. It has the same routes, precedence and limits as API Gateway.
//! Behind it are the same routers that run on Lambda.

mod cors;
mod error;
mod path_routes;
mod target;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::routing::any;
use http::Request;

use crate::template::Template;
use path_routes::PathRoutes;
use target::Target;

pub use error::GatewayError;
pub use path_routes::BodyLimits;
pub(crate) use target::AnsweredBy;

/// The whole HTTP API as one router. It needs the peer's address (`ConnectInfo<SocketAddr>`).
///
/// # Errors
/// A route to an unknown function, or an unusable CORS configuration.
pub fn router(
    template: &Template,
    functions: &BTreeMap<&'static str, Router>,
    limits: &BodyLimits,
) -> Result<Router, GatewayError> {
    let mut paths: BTreeMap<String, PathRoutes> = BTreeMap::new();
    let mut default = None;
    for route in &template.routes {
        let target = Target::new(route, functions, template.timeout(&route.function))?;
        match &route.path {
            None => default = Some(target),
            Some(path) => paths.entry(axum_path(path)).or_default().add(route.method.clone(), target),
        }
    }
    let mut router = Router::new();
    for (path, routes) in paths {
        router = router.route(&path, method_router(routes.or_default(default.clone()), limits));
    }
    let router = router.fallback_service(method_router(PathRoutes::default().or_default(default), limits));
    Ok(match &template.cors {
        None => router,
        Some(cors) => router.layer(cors::layer(cors)?),
    })
}

/// `{proxy+}` matches the rest of the path; axum writes it `{*proxy}`. Parameters are named by their position, so that
/// two routes with different names for the same parameter share one path.
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

fn method_router(routes: PathRoutes, limits: &BodyLimits) -> axum::routing::MethodRouter {
    let (routes, limits) = (Arc::new(routes), limits.clone());
    any(move |ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request<Body>| {
        let (routes, limits) = (Arc::clone(&routes), limits.clone());
        async move { routes.answer(peer.ip(), request, &limits).await }
    })
}

#[cfg(test)]
mod tests;
