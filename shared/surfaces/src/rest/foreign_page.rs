//! Refuses requests that a page of another site makes a visitor's browser send (`specification.md#foreign-pages`).
//! A public registry has no cookies and no sessions, so pages may use its API across origins. But they must not act with
//! the address of a visitor who only opened a page: by a link, an image or a form. A registry on loopback accepts
//! only loopback names in `Origin` and `Host`, to prevent DNS rebinding (also MCP, streamable HTTP, "Security Warning").

use axum::extract::Request;
use axum::middleware::Next;
use url::{Host, Url};

use super::request::essence;
use crate::prelude::*;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Media types that a page may send to another site without its permission (Fetch Standard, "CORS-safelisted
/// request-header").
const FORM_TYPES: [&str; 3] = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"];

/// Checks every request whose method may act; a GET that acts is checked by its route.
pub(super) async fn refuse_foreign_posts(State(app): State<App>, request: Request, next: Next) -> Response {
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let checked = if is_safe { Ok(()) } else { check_post(&app.settings.base_url, request.headers()) };
    match checked {
        Ok(()) => next.run(request).await,
        Err(problem) => Refused(problem).into_response(),
    }
}

fn check_post(base_url: &str, headers: &HeaderMap) -> Result<(), Problem> {
    check_names(base_url, headers)?;
    if is_form(headers) && is_of_foreign_page(base_url, headers) {
        return Err(refused("Send the request yourself, or as JSON with content-type: application/json."));
    }
    Ok(())
}

pub(super) fn check_acting_get(base_url: &str, headers: &HeaderMap) -> Result<(), Problem> {
    check_names(base_url, headers)?;
    if is_of_foreign_page(base_url, headers) {
        return Err(refused("Open the URL yourself."));
    }
    Ok(())
}

/// Checks a GET that makes the registry send requests. A page could use a registry on loopback to read other servers of
/// the visitor's machine.
pub(super) fn check_open_world_get(base_url: &str, headers: &HeaderMap) -> Result<(), Problem> {
    if is_on_loopback(base_url) { check_acting_get(base_url, headers) } else { Ok(()) }
}

fn refused(what_to_do: &str) -> Problem {
    let detail = format!("A page of another site caused this request, so it is refused. {what_to_do}");
    Problem::new(Code::ForeignPage, detail)
}

/// Checks the values of `Origin` and `Host`.
fn check_names(base_url: &str, headers: &HeaderMap) -> Result<(), Problem> {
    let on_loopback = is_on_loopback(base_url);
    let origins = every_value(headers, header::ORIGIN, |origin| {
        match origin.and_then(|origin| Url::parse(origin).ok()) {
            Some(url) if on_loopback => is_loopback(&url),
            Some(url) => url.has_host() && matches!(url.path(), "" | "/"),
            None => !on_loopback && origin == Some("null"),
        }
    });
    if !origins {
        return Err(Problem::new(Code::ForeignOrigin, "The Origin is not allowed."));
    }
    let hosts = every_value(headers, header::HOST, |host| {
        let url = host.and_then(|host| Url::parse(&format!("http://{host}/")).ok());
        !on_loopback || url.is_some_and(|url| is_loopback(&url))
    });
    if hosts {
        return Ok(());
    }
    let detail = "This registry runs on loopback, so it refuses other host names. The operator must set BASE_URL \
        to the public address.";
    Err(Problem::new(Code::ForeignHost, detail))
}

/// Whether the browser says that a page of another origin caused the request. Other clients send neither header.
fn is_of_foreign_page(base_url: &str, headers: &HeaderMap) -> bool {
    let is_other_site = |value: &HeaderValue| matches!(value.as_bytes(), b"cross-site" | b"same-site");
    headers.get_all(SEC_FETCH_SITE).iter().any(is_other_site)
        || !every_value(headers, header::ORIGIN, |origin| {
            origin.is_some_and(|origin| is_own(base_url, headers, origin))
        })
}

/// Whether an origin is this registry: its base URL, or the host name that the request used.
fn is_own(base_url: &str, headers: &HeaderMap, origin: &str) -> bool {
    let Ok(origin) = Url::parse(origin) else { return false };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let requested = host.map(|host| format!("{}://{host}/", origin.scheme()));
    let own = [Some(base_url), requested.as_deref()];
    own.into_iter()
        .flatten()
        .filter_map(|url| Url::parse(url).ok())
        .any(|own| own.origin() == origin.origin())
}

/// A body without a content type counts: a page may send one.
fn is_form(headers: &HeaderMap) -> bool {
    every_value(headers, header::CONTENT_TYPE, |kind| {
        let kind = essence(kind.unwrap_or_default());
        FORM_TYPES.iter().any(|form| kind.eq_ignore_ascii_case(form))
    })
}

fn every_value(headers: &HeaderMap, name: HeaderName, predicate: impl Fn(Option<&str>) -> bool) -> bool {
    headers.get_all(name).iter().all(|value| predicate(value.to_str().ok()))
}

fn is_on_loopback(base_url: &str) -> bool {
    Url::parse(base_url).is_ok_and(|url| is_loopback(&url))
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests;
