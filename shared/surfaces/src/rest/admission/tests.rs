use super::*;
use std::time::Duration;

fn limit(per_second: u32, at_once: u32) -> CallerLimit {
    CallerLimit::new(RequestRate { per_second, at_once }, Clock::manual(Moment::UNIX_EPOCH))
}

fn accepted(limit: &CallerLimit, caller: &str, requests: u32) -> u32 {
    (0..requests).map(|_| u32::from(limit.take(caller.to_owned()).is_ok())).sum()
}

#[test]
fn caller_limit_allows_a_burst_and_then_a_constant_rate() {
    let limit = limit(4, 10);
    assert_eq!(accepted(&limit, "a", 20), 10);
    assert_eq!(limit.take("a".to_owned()), Err(1));
    assert_eq!(accepted(&limit, "b", 20), 10, "another caller has its own bucket");
    limit.clock.advance(Duration::from_millis(750));
    assert_eq!(accepted(&limit, "a", 20), 3);
    limit.clock.advance(Duration::from_secs(3600));
    assert_eq!(accepted(&limit, "a", 20), 10, "at most a full bucket");
}

#[test]
fn answer_contains_what_is_left() {
    for (limit, policy) in [(limit(1, 3), "q=3;w=3"), (limit(7, 35), "q=35;w=5")] {
        let fields = |remaining| {
            let mut headers = HeaderMap::new();
            limit.add_fields(&mut headers, remaining);
            ["ratelimit-policy", "ratelimit"].map(|name| headers[name].to_str().unwrap().to_owned())
        };
        for left in (0..limit.rate.at_once).rev() {
            let remaining = limit.take("a".to_owned()).unwrap();
            let expected = [format!("\"caller\";{policy}"), format!("\"caller\";r={left};t=1")];
            assert_eq!(fields(remaining), expected);
        }
    }
}

#[test]
fn memory_is_bounded_and_busy_callers_are_remembered() {
    let limit = limit(1, 3);
    assert_eq!(accepted(&limit, "busy", 3), 3);
    for other in 0..MAX_CALLERS * 3 {
        assert!(limit.take(format!("other {other}")).is_ok());
        if other % (MAX_CALLERS / 2) == 0 {
            assert!(limit.take("busy".to_owned()).is_err(), "after {other} others");
        }
    }
    let callers = limit.callers.lock().unwrap();
    assert!(callers.current.len() + callers.previous.len() <= 2 * MAX_CALLERS);
}

const LOCAL: &str = "http://127.0.0.1:8080";
const PUBLIC: &str = "https://registry.example.com";

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let value = |text: &str| HeaderValue::from_bytes(text.as_bytes()).unwrap();
    pairs.iter().map(|(name, text)| (HeaderName::from_static(name), value(text))).collect()
}

fn allows(base_url: &str, name: &'static str, value: &str) -> bool {
    check_names(base_url, &headers(&[(name, value)])).is_ok()
}

#[test]
fn local_registry_accepts_only_loopback_names() {
    for good in ["http://localhost:6274", "http://127.0.0.1:8080", "http://[::1]", "https://app.localhost"] {
        assert!(allows(LOCAL, "origin", good), "{good}");
    }
    for bad in
        ["https://evil.example.com", "http://localhost.evil.example", "null", "", "x", "http://128.0.0.1"]
    {
        assert!(!allows(LOCAL, "origin", bad), "{bad}");
    }
    assert!(allows(LOCAL, "host", "127.0.0.1:8080") && allows(LOCAL, "host", "localhost"));
    assert!(!allows(LOCAL, "host", "evil.example.com"));
    assert!(!allows(LOCAL, "host", "evil.example.com:8080"));
    assert!(check_names(LOCAL, &HeaderMap::new()).is_ok());
}

#[test]
fn public_registry_accepts_every_valid_origin() {
    for good in ["https://app.example.org", "http://localhost:6274", "vscode-webview://abc", "null"] {
        assert!(allows(PUBLIC, "origin", good), "{good}");
    }
    for bad in ["", "not an origin", "https://", "https://app.example.org/page", "é"] {
        assert!(!allows(PUBLIC, "origin", bad), "{bad}");
    }
    assert!(allows(PUBLIC, "host", "a1b2.execute-api.eu-central-1.amazonaws.com"));
}
