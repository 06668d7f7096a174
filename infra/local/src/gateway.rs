//! The HTTP API of the template on one machine, with the limits of API Gateway and the same routers as on Lambda.

mod target;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::routing::any;
use http::{HeaderName, Method, Request, header};
use tower_http::cors::{Any, CorsLayer};

use crate::functions::{DEFAULT, HttpFunction};
use target::Target;

pub(crate) use target::AnsweredBy;
pub use target::BodyLimits;

/// The whole HTTP API as one router. It needs the peer's address (`ConnectInfo<SocketAddr>`).
pub fn router(functions: BTreeMap<&'static str, HttpFunction>, limits: &BodyLimits) -> Router {
    let mut router = Router::new();
    for (name, function) in functions {
        let paths = function.paths;
        let target = Arc::new(Target { name, function, limits: limits.clone() });
        let answer = any(move |ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request<Body>| {
            let target = Arc::clone(&target);
            async move { target.answer(peer.ip(), request).await }
        });
        for path in paths {
            let all_below = if path.ends_with('/') { "{*rest}" } else { "" };
            router = router.route(&format!("{path}{all_below}"), answer.clone());
        }
        if name == DEFAULT {
            router = router.fallback_service(answer);
        }
    }
    router.layer(cors())
}

/// The template's CORS configuration. API Gateway answers the preflight requests of browsers itself. The CORS headers of
/// the gateway replace those of the function.
fn cors() -> CorsLayer {
    let ours = [
        "a2a-extensions",
        "a2a-version",
        "last-event-id",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "mcp-session-id",
        "x-mcp-toolsets",
    ];
    let standard = [header::AUTHORIZATION, header::ACCEPT, header::CONTENT_TYPE, header::IF_NONE_MATCH];
    let exposed = [header::ALLOW, header::ETAG, header::LINK, header::LOCATION, header::RETRY_AFTER];
    let request_id = HeaderName::from_static("x-request-id");
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::OPTIONS])
        .allow_headers(standard.into_iter().chain(ours.map(HeaderName::from_static)).collect::<Vec<_>>())
        .expose_headers(exposed.into_iter().chain([request_id]).collect::<Vec<_>>())
        .max_age(Duration::from_secs(86_400))
}

#[cfg(test)]
mod tests;
