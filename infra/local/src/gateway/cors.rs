//! The template's CORS configuration as a layer. API Gateway answers the preflight requests of browsers
//! itself. The CORS headers of the gateway replace those of the function.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Method};
use tower_http::cors::{AllowHeaders, AllowMethods, AllowOrigin, CorsLayer, ExposeHeaders};

use super::error::GatewayError;
use crate::template::Cors;

pub(super) fn layer(cors: &Cors) -> Result<CorsLayer, GatewayError> {
    let layer = CorsLayer::new()
        .allow_origin(match list::<HeaderValue>(&cors.origins)? {
            None => AllowOrigin::any(),
            Some(origins) => AllowOrigin::list(origins),
        })
        .allow_methods(match list::<Method>(&cors.methods)? {
            None => AllowMethods::any(),
            Some(methods) => AllowMethods::list(methods),
        })
        .allow_headers(match list::<HeaderName>(&cors.headers)? {
            None => AllowHeaders::any(),
            Some(headers) => AllowHeaders::list(headers),
        })
        .expose_headers(match list::<HeaderName>(&cors.exposed)? {
            None => ExposeHeaders::any(),
            Some(headers) => ExposeHeaders::list(headers),
        });
    Ok(match cors.max_age {
        None => layer,
        Some(seconds) => layer.max_age(Duration::from_secs(seconds)),
    })
}

/// `None` if one of the entries is `*`.
fn list<T: std::str::FromStr>(entries: &[String]) -> Result<Option<Vec<T>>, GatewayError> {
    if entries.iter().any(|entry| entry == "*") {
        return Ok(None);
    }
    let parsed = entries.iter().map(|entry| entry.parse().map_err(|_| GatewayError::Cors(entry.clone())));
    parsed.collect::<Result<_, _>>().map(Some)
}
