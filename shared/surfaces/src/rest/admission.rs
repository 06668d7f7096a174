//! Decides which requests are admitted, before anything else is done with them: only those of the proxy, not too many of one
//! address, and none that a page of another site makes a visitor's browser send (`specification.md#foreign-pages`).
//!
//! The rate limit per address is counted in the memory of this process. So a rejected request costs no table
//! access. The limits of single actions, such as publishing, are counted in the table.
//!
//! A public registry has no cookies and no sessions, so pages may use its API across origins. But they must not act with
//! the address of a visitor who only opened a page: by a link, an image or a form. A registry on loopback accepts
//! only loopback names in `Origin` and `Host`, to prevent DNS rebinding (also MCP, streamable HTTP, "Security Warning").

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use axum::extract::Request;
use axum::middleware::Next;
use url::{Host, Url};

use super::request::essence;
use crate::prelude::*;
use registry_model::{CallerAddress, Clock};
use registry_settings::{RequestRate, TrustedProxy};

/// Refuses a request that did not come through the proxy.
pub(super) async fn refuse_direct(State(app): State<App>, request: Request, next: Next) -> Response {
    let refuses = |proxy: &TrustedProxy| proxy.refuses(request.headers());
    if !app.settings.proxy.as_ref().is_some_and(refuses) {
        return next.run(request).await;
    }
    let detail =
        format!("This address answers only its proxy. Send the request to {}.", app.settings.base_url);
    Refused(Problem::new(ErrorKind::Forbidden, Code::NotThroughProxy, detail)).into_response()
}

/// Per generation, of which there are two; a caller needs some hundred bytes.
const MAX_CALLERS: usize = 10_000;

/// A token bucket per caller, in the memory of this process. Clones share the buckets.
#[derive(Clone, Debug)]
pub struct CallerLimit {
    rate: RequestRate,
    clock: Clock,
    callers: Arc<Mutex<Generations>>,
}

/// When each caller's bucket is full again. When `current` is full it replaces `old`: memory is bounded, and a
/// caller that sends many requests is always remembered.
#[derive(Debug, Default)]
struct Generations {
    current: HashMap<String, Moment>,
    previous: HashMap<String, Moment>,
}

impl Generations {
    fn full_again(&self, caller: &str) -> Option<Moment> {
        self.current.get(caller).or_else(|| self.previous.get(caller)).copied()
    }

    fn insert(&mut self, caller: String, full_again: Moment) {
        if self.current.len() >= MAX_CALLERS && !self.current.contains_key(&caller) {
            self.previous = std::mem::take(&mut self.current);
        }
        self.current.insert(caller, full_again);
    }
}

impl CallerLimit {
    pub fn new(rate: RequestRate, clock: Clock) -> Self {
        Self { rate, clock, callers: Arc::default() }
    }

    /// Takes a token of a caller, and returns how many are left. Error: 429 if the bucket is empty.
    pub fn check(&self, address: IpAddr) -> Result<u32, Problem> {
        let name = Caller { address: Some(address), bearer: None }.name();
        self.take(name).map_err(|seconds| {
            let detail = format!(
                "Rate limit exceeded: your address sent more than {} per second. Send the request \
                 again after {seconds} s.",
                counted(self.rate.per_second, "request")
            );
            Problem::too_many(detail, seconds).with("allowance", "caller")
        })
    }

    /// `Err` contains the seconds until the bucket has a token again.
    fn take(&self, caller: String) -> Result<u32, u32> {
        let now = self.clock.now();
        let (one, whole) = (self.rate.interval(), self.rate.interval() * self.rate.burst());
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        // At most as late as for an empty bucket, in case the clock was set back.
        let full_again = callers.full_again(&caller).unwrap_or(now).clamp(now, now + whole);
        let empty_by = full_again.duration_since(now) + one - whole;
        if empty_by.is_positive() {
            callers.insert(caller, full_again);
            let seconds = empty_by.as_millis().div_euclid(1000) + 1;
            return Err(u32::try_from(seconds).unwrap_or(u32::MAX));
        }
        callers.insert(caller, full_again + one);
        Ok(u32::try_from((-empty_by).as_nanos() / one.as_nanos().max(1)).unwrap_or(0))
    }

    /// The fields of the IETF draft `ratelimit-headers`: the policy, and what is left of it.
    fn add_fields(&self, headers: &mut HeaderMap, remaining: u32) {
        let burst = self.rate.burst();
        let window = ((self.rate.interval() * burst).as_millis() + 999).div_euclid(1000);
        let fields = [
            ("ratelimit-policy", format!("\"caller\";q={burst};w={window}")),
            ("ratelimit", format!("\"caller\";r={};t=1", remaining)),
        ];
        for (name, value) in fields {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
    }
}

/// The bucket of the caller of a request. The middleware adds it to the request, so that a function can count a request
/// that contains several messages more than once.
#[derive(Clone, Debug)]
pub struct CallerBucket {
    limit: CallerLimit,
    address: IpAddr,
}

impl CallerBucket {
    /// Takes one token.
    ///
    /// # Errors
    /// 429 where the bucket is empty.
    pub fn take(&self) -> Result<(), Problem> {
        self.limit.check(self.address).map(|_| ())
    }
}

/// A request without an address came through no gateway and is not counted.
pub(super) async fn limit_callers(
    State(limit): State<CallerLimit>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(CallerAddress(address)) = request.extensions().get().copied() else {
        return next.run(request).await;
    };
    let (remaining, mut response) = match limit.check(address) {
        Ok(remaining) => {
            request.extensions_mut().insert(CallerBucket { limit: limit.clone(), address });
            (remaining, next.run(request).await)
        }
        Err(problem) => (0, Refused(problem).into_response()),
    };
    limit.add_fields(response.headers_mut(), remaining);
    response
}

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
    Problem::new(ErrorKind::Forbidden, Code::ForeignPage, detail)
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
        return Err(Problem::new(ErrorKind::Forbidden, Code::ForeignOrigin, "The Origin is not allowed."));
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
    Err(Problem::new(ErrorKind::Forbidden, Code::ForeignHost, detail))
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
