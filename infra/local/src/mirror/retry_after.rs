//! The `Retry-After` header, in both of its forms. The HTTP library has no parser for it, and registries behind a CDN
//! send the date form.

use std::time::Duration;

use http::{HeaderMap, header};
use jiff::Timestamp;

/// A number of seconds or a date (RFC 9110 §10.2.3).
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let moment = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(Duration::try_from(moment.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_wait_is_told_in_seconds_or_by_a_date() {
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let asked = |text: &'static str| {
            retry_after(&HeaderMap::from_iter([(header::RETRY_AFTER, HeaderValue::from_static(text))]), now)
        };
        assert_eq!(asked("120"), Some(Duration::from_secs(120)));
        assert_eq!(asked("Fri, 20 Nov 2026 12:01:00 GMT"), Some(Duration::from_secs(60)));
        assert_eq!(asked("Fri, 20 Nov 2026 11:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(asked("soon"), None);
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
