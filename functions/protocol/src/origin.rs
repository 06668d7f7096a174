//! Checks of `Origin` and `Host` (streamable HTTP, "Security Warning"). A registry on loopback accepts only
//! loopback names, to prevent DNS rebinding. A public registry has no secrets and no sessions that an
//! attacker could steal, so it accepts every valid origin.

use http::{HeaderMap, HeaderName, header};
use url::{Host, Url};

pub(crate) fn is_allowed(base_url: &str, headers: &HeaderMap) -> bool {
    let on_loopback = Url::parse(base_url).is_ok_and(|url| is_loopback(&url));
    let origins =
        all(headers, header::ORIGIN, |origin| match origin.and_then(|origin| Url::parse(origin).ok()) {
            Some(url) if on_loopback => is_loopback(&url),
            Some(url) => url.has_host() && matches!(url.path(), "" | "/"),
            None => !on_loopback && origin == Some("null"),
        });
    let hosts = all(headers, header::HOST, |host| {
        let url = host.and_then(|host| Url::parse(&format!("http://{host}/")).ok());
        !on_loopback || url.is_some_and(|url| is_loopback(&url))
    });
    origins && hosts
}

fn all(headers: &HeaderMap, name: HeaderName, predicate: impl Fn(Option<&str>) -> bool) -> bool {
    headers.get_all(name).iter().all(|value| predicate(value.to_str().ok()))
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
mod tests {
    use http::HeaderValue;

    use super::*;

    fn allows(base_url: &str, name: HeaderName, value: &str) -> bool {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        is_allowed(base_url, &HeaderMap::from_iter([(name, value)]))
    }

    const LOCAL: &str = "http://127.0.0.1:8080";
    const PUBLIC: &str = "https://registry.example.com";

    #[test]
    fn local_registry_accepts_only_loopback_names() {
        for good in
            ["http://localhost:6274", "http://127.0.0.1:8080", "http://[::1]", "https://app.localhost"]
        {
            assert!(allows(LOCAL, header::ORIGIN, good), "{good}");
        }
        for bad in
            ["https://evil.example.com", "http://localhost.evil.example", "null", "", "x", "http://128.0.0.1"]
        {
            assert!(!allows(LOCAL, header::ORIGIN, bad), "{bad}");
        }
        assert!(allows(LOCAL, header::HOST, "127.0.0.1:8080") && allows(LOCAL, header::HOST, "localhost"));
        assert!(
            !allows(LOCAL, header::HOST, "evil.example.com")
                && !allows(LOCAL, header::HOST, "evil.example.com:8080")
        );
        assert!(is_allowed(LOCAL, &HeaderMap::new()));
    }

    #[test]
    fn public_registry_accepts_every_valid_origin() {
        for good in ["https://app.example.org", "http://localhost:6274", "vscode-webview://abc", "null"] {
            assert!(allows(PUBLIC, header::ORIGIN, good), "{good}");
        }
        for bad in ["", "not an origin", "https://", "https://app.example.org/page", "é"] {
            assert!(!allows(PUBLIC, header::ORIGIN, bad), "{bad}");
        }
        assert!(allows(PUBLIC, header::HOST, "a1b2.execute-api.eu-central-1.amazonaws.com"));
    }
}
