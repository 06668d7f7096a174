//! The middleware of every function. It adds a request id and the rule for caches to each answer, and returns problem
//! documents for unknown paths and methods. It also refuses requests ([`super::admission`]), and returns an answer if the code
//! panics.

use std::any::Any;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::middleware::{Next, from_fn_with_state};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::CompressionLevel;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

use super::admission::{CallerLimit, limit_callers, refuse_direct, refuse_foreign_posts};
use crate::prelude::*;
use registry_model::{NextStep, RequestId};
use registry_store::events;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The outermost layer comes last: an answer after a panic has a request id and a rule for caches, too.
pub fn with_middleware(router: Router<App>, app: App) -> Router {
    let limit = app.settings.caller_rate.map(|rate| CallerLimit::new(rate, app.clock.clone()));
    let router = router
        .fallback(no_such_path)
        .method_not_allowed_fallback(wrong_method)
        .with_state(app.clone())
        .layer(compression())
        .layer(CatchPanicLayer::custom(panic_response))
        .layer(from_fn_with_state(app.clone(), write_pending))
        .layer(from_fn_with_state(app.clone(), refuse_foreign_posts))
        .layer(from_fn_with_state(app.clone(), refuse_direct));
    let router = match limit {
        Some(limit) => router.layer(from_fn_with_state(limit, limit_callers)),
        None => router,
    };
    router.layer(from_fn_with_state(app, complete))
}

fn compression() -> CompressionLayer<impl Predicate> {
    // Archives are compressed already.
    let compressible = SizeAbove::new(8192)
        .and(NotForContentType::const_new("application/zip"))
        .and(NotForContentType::const_new("application/gzip"));
    // gzip only: brotli saves an eighth more at this level, and costs twelve seconds of every build.
    CompressionLayer::new().quality(CompressionLevel::Precise(1)).compress_when(compressible)
}

async fn no_such_path(State(app): State<App>, request: Request) -> Refused {
    let path = shorten(request.uri().path(), 120);
    let detail = format!("Not found: `{path}`. The map of this registry is `/discovery.json`.");
    let map = app.settings.url("/discovery.json");
    let next = NextStep::open("discover", map, "Read the map of this registry.");
    Refused(Problem::not_found(Code::NoSuchPath, detail).with_next(next))
}

pub(super) async fn wrong_method(request: Request) -> Refused {
    let detail = format!(
        "`{}` does not accept {}; see the Allow header.",
        shorten(request.uri().path(), 120),
        request.method()
    );
    Refused(Problem::new(ErrorKind::MethodNotAllowed, Code::MethodNotAllowed, detail))
}

/// Writes the deposits of earlier reads while the request runs: a function's process gets no time of its own
/// between requests.
async fn write_pending(State(app): State<App>, request: Request, next: Next) -> Response {
    let now = app.clock.now();
    futures::join!(next.run(request), app.pending_deposits.flush(&app.store, now)).0
}

#[expect(clippy::needless_pass_by_value, reason = "the layer hands the panic over")]
fn panic_response(panic: Box<dyn Any + Send>) -> Response {
    let text = panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|t| (*t).to_owned()));
    Refused(Problem::fault(format!("panicked: {}", text.unwrap_or_default()))).into_response()
}

/// Of successful requests, only some get a line.
async fn logged(app: &App, request: Request, next: Next) -> Response<Body> {
    let began = Instant::now();
    let response = next.run(request).await;
    let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let status = response.status();
    // A flood is refused with 429, and would fill the log.
    let is_sampled = !(status.is_client_error() || status.is_server_error()) || status == 429;
    let stands_for = if is_sampled { app.settings.request_log_sample } else { 1 };
    if stands_for == 1 || app.random.below(stands_for.into()) == 0 {
        tracing::info!(status = status.as_u16(), duration_ms, stands_for, "request");
    }
    response
}

async fn complete(State(app): State<App>, request: Request, next: Next) -> Response<Body> {
    // Without a gateway, as in some tests, there is no id yet.
    let id = request.extensions().get().map_or_else(|| app.random.hex(16), |RequestId(id)| id.clone());
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    // Of the highest level, so that the lines of every level contain it.
    let span = tracing::error_span!("request", request_id = id, method = %request.method(), route);
    let mut response = events::caused_by(id.clone(), span, logged(&app, request, next)).await;
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    add_caching(headers);
    response
}

/// Names a request header on which the answer depends.
pub(crate) fn add_vary(headers: &mut HeaderMap, name: &'static str) {
    headers.append(header::VARY, HeaderValue::from_static(name));
    merge_lines(headers, &header::VARY);
}

/// Completes the headers by which browsers, proxies and CDNs store an answer (RFC 9111). An answer without a rule must not be
/// stored: without `Cache-Control`, a cache chooses a time itself, and `CloudFront` stores such an answer for a day. One that
/// may be stored varies in two ways: the body may be compressed, and
/// API Gateway adds CORS headers only if the request has an origin (AWS: "Configure CORS for HTTP APIs"). A 304 has no
/// body that could be compressed, but it must have the same `Vary` as the answer with a body (RFC 9110 §15.4.5).
fn add_caching(headers: &mut HeaderMap) {
    if headers.contains_key(header::CACHE_CONTROL) {
        merge_lines(headers, &header::CACHE_CONTROL);
    } else {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if headers.get(header::CACHE_CONTROL).is_some_and(|rule| rule != "no-store") {
        headers.append(header::VARY, HeaderValue::from_static("accept-encoding, origin"));
    }
    merge_lines(headers, &header::VARY);
}

/// Merges repeated headers into one line in which each value occurs once, because some caches read only the first line.
fn merge_lines(headers: &mut HeaderMap, name: &HeaderName) {
    let mut values: Vec<String> = Vec::new();
    for line in headers.get_all(name).iter().filter_map(|line| line.to_str().ok()) {
        for value in line.split(',').map(|value| value.trim().to_ascii_lowercase()) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    if let Ok(line) = HeaderValue::from_str(&values.join(", "))
        && !values.is_empty()
    {
        headers.insert(name, line);
    }
}
