//! Decides where a redirect leads, and whether the fetcher follows it. The redirect policy of the HTTP client cannot do
//! these checks. The decision needs only the answer, so that every rule can be tested without a network.

use http::header::{ACCEPT, LOCATION};
use http::{HeaderMap, Method, StatusCode};

use super::failure::FetchError;
use super::request::Follow;
use super::target::{Target, TargetError};
use registry_model::Reach;

/// The target of the next hop, or `None` if this answer is the last one. `hops` counts the redirects already followed.
pub(super) fn next(
    follow: Follow,
    method: &Method,
    from: &Target,
    status: StatusCode,
    headers: &HeaderMap,
    hops: u8,
    reach: Reach,
) -> Result<Option<Target>, FetchError> {
    let most = match (follow, status.as_u16()) {
        (Follow::SameOriginOnce, 307 | 308) => 1,
        (Follow::Hops(most), 301 | 302 | 303 | 307 | 308)
            if matches!(*method, Method::GET | Method::HEAD) =>
        {
            most
        }
        _ => return Ok(None),
    };
    let to = destination(from, headers, reach)?;
    if from.url().scheme() == "https" && to.url().scheme() != "https" {
        return Err(FetchError::BadRedirect);
    }
    if follow == Follow::SameOriginOnce && to.origin() != from.origin() {
        return Err(FetchError::BadRedirect);
    }
    if hops >= most { Err(FetchError::TooManyRedirects) } else { Ok(Some(to)) }
}

/// Headers that were meant for one origin are not sent to another.
pub(super) fn headers_for(to: &Target, from: &Target, headers: HeaderMap) -> HeaderMap {
    if to.origin() == from.origin() {
        return headers;
    }
    headers.get(ACCEPT).map(|accept| (ACCEPT, accept.clone())).into_iter().collect()
}

fn destination(from: &Target, headers: &HeaderMap, reach: Reach) -> Result<Target, FetchError> {
    let location = headers.get(LOCATION).and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
    from.join(location.ok_or(FetchError::BadRedirect)?, reach).map_err(|error| match error {
        TargetError::NotAUrl | TargetError::Scheme | TargetError::TooLong | TargetError::ControlCharacter => {
            FetchError::BadRedirect
        }
        rule => FetchError::Blocked(rule),
    })
}

#[cfg(test)]
mod tests;
