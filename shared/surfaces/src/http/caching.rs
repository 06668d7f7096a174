//! The headers that tell browsers, proxies and CDNs what they may keep (RFC 9111). An answer without a rule must not be
//! stored: without `Cache-Control`, a cache chooses a time itself, and `CloudFront` keeps such an answer for a day.

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Names a request header on which the answer depends.
pub fn add_vary(headers: &mut HeaderMap, name: &'static str) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(lines: &[(HeaderName, &'static str)]) -> Vec<(String, String)> {
        let mut headers = HeaderMap::new();
        for (name, line) in lines {
            headers.append(name, HeaderValue::from_static(line));
        }
        complete(&mut headers);
        let text = |value: &HeaderValue| value.to_str().unwrap().to_owned();
        headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect()
    }

    #[test]
    fn answer_without_a_rule_is_not_stored() {
        let no_store = [("cache-control".to_owned(), "no-store".to_owned())];
        assert_eq!(completed(&[]), no_store);
        let no_store = completed(&[(header::CACHE_CONTROL, "no-store"), (header::VARY, "accept")]);
        assert_eq!(no_store[1], ("vary".to_owned(), "accept".to_owned()));
    }

    #[test]
    fn every_value_is_sent_once_and_in_one_line() {
        let lines = completed(&[
            (header::CACHE_CONTROL, "public, max-age=9"),
            (header::CACHE_CONTROL, "immutable"),
            (header::VARY, "Accept"),
            (header::VARY, "Accept-Encoding"),
        ]);
        let expected =
            [("cache-control", "public, max-age=9, immutable"), ("vary", "accept, accept-encoding, origin")];
        assert_eq!(lines, expected.map(|(name, line)| (name.to_owned(), line.to_owned())));
    }
}
