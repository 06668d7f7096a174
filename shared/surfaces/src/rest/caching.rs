//! The headers that tell browsers, proxies and CDNs what they may keep (RFC 9111). An answer without a rule must not be
//! stored: without `Cache-Control`, a cache chooses a time itself, and `CloudFront` keeps such an answer for a day.

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Names a request header on which the answer depends.
pub(crate) fn add_vary(headers: &mut HeaderMap, name: &'static str) {
    headers.append(header::VARY, HeaderValue::from_static(name));
    join(headers, &header::VARY);
}

/// Completes the headers of an answer. An answer that may be stored varies in two ways: the body may be compressed, and
/// API Gateway adds CORS headers only if the request has an origin (AWS: "Configure CORS for HTTP APIs"). A 304 has no
/// body that could be compressed, but it must have the same `Vary` as the answer with a body (RFC 9110 §15.4.5).
pub(super) fn complete(headers: &mut HeaderMap) {
    if headers.contains_key(header::CACHE_CONTROL) {
        join(headers, &header::CACHE_CONTROL);
    } else {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if headers.get(header::CACHE_CONTROL).is_some_and(|rule| rule != "no-store") {
        headers.append(header::VARY, HeaderValue::from_static("accept-encoding, origin"));
    }
    join(headers, &header::VARY);
}

/// Joins repeated headers to one line in which each value occurs once, because some caches read only the first line.
fn join(headers: &mut HeaderMap, name: &HeaderName) {
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
