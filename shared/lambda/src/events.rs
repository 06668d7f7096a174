//! What API Gateway and `lambda_http` change on the way from an HTTP request to a function and back. An HTTP API sends
//! the path decoded and has one value per response header (payload format 2.0). This module corrects both, so that a
//! function answers as it does over plain HTTP.

use std::net::IpAddr;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use lambda_http::request::{LambdaRequest, RequestContext};
use lambda_http::{LambdaEvent, RequestExt as _};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use registry_model::{CallerAddress, RequestId};
use registry_settings::TrustedProxy;

/// The characters that must be encoded in a path (RFC 3986, `pchar` and `/` are the others).
const NOT_IN_PATHS: &AsciiSet = &{
    let (mut set, mut unreserved): (AsciiSet, &[u8]) = (NON_ALPHANUMERIC.remove(b'/'), b"-._~!$&'()*+,;=:@");
    while let [character, rest @ ..] = unreserved {
        (set, unreserved) = (set.remove(*character), rest);
    }
    set
};

/// Encodes the path of an event again. HTTP APIs decode `rawPath` (honojs/hono#2156, middleapi/standard-server#93), and
/// `lambda_http` parses it as the path of a URL. So `%25` would be decoded twice, and `#` would end the path. `%2F`
/// cannot be restored: API Gateway sends `/`.
pub fn with_encoded_path(mut event: LambdaEvent<LambdaRequest>) -> LambdaEvent<LambdaRequest> {
    if let LambdaRequest::ApiGatewayV2(request) = &mut event.payload
        && let Some(path) = &mut request.raw_path
    {
        *path = utf8_percent_encode(path, NOT_IN_PATHS).to_string();
    }
    event
}

/// A router for requests from events that passed [`with_encoded_path`]. Adds to a request the id that API Gateway gave it, and
/// the address of the caller: the address in the event, or the address that a trusted proxy names.
pub fn behind_gateway(router: Router, proxy: Option<TrustedProxy>) -> Router {
    // A layer of `router` itself would run after the route was chosen by the path.
    Router::new().fallback_service(router).layer(from_fn_with_state(proxy, translate))
}

async fn translate(State(proxy): State<Option<TrustedProxy>>, mut request: Request, next: Next) -> Response {
    restore_path(&mut request);
    if let Some(RequestContext::ApiGatewayV2(context)) = request.extensions().get::<RequestContext>() {
        let id = context.request_id.clone().map(RequestId);
        let address: Option<IpAddr> = context.http.source_ip.as_deref().and_then(|ip| ip.parse().ok());
        let client = |ip| proxy.map_or(ip, |proxy| proxy.client(ip, request.headers()));
        let address = address.map(client);
        if let Some(id) = id {
            request.extensions_mut().insert(id);
        }
        if let Some(address) = address {
            request.extensions_mut().insert(CallerAddress(address));
        }
    }
    let mut response = next.run(request).await;
    join_repeated(response.headers_mut());
    response
}

/// Replaces the path that `lambda_http` made by the path of the event, because its URL parser resolves `..`.
fn restore_path(request: &mut Request) {
    let path = request.raw_http_path();
    if path.is_empty() || path == request.uri().path() {
        return;
    }
    let query = request.uri().query();
    let target = query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    if let Ok(uri) = target.parse() {
        *request.uri_mut() = uri;
    }
}

/// Joins the values of a repeated header by commas (RFC 9110, section 5.3), because `lambda_http` sends only the first
/// value. `Set-Cookie` must not be joined; cookies have their own member in the answer.
fn join_repeated(headers: &mut HeaderMap) {
    let is_repeated = |name: &&HeaderName| **name != SET_COOKIE && headers.get_all(*name).iter().count() > 1;
    let repeated: Vec<HeaderName> = headers.keys().filter(is_repeated).cloned().collect();
    for name in repeated {
        let values: Vec<&[u8]> = headers.get_all(&name).iter().map(HeaderValue::as_bytes).collect();
        if let Ok(joined) = HeaderValue::from_bytes(&values.join(&b", "[..])) {
            headers.insert(name, joined);
        }
    }
}

#[cfg(test)]
mod tests;
