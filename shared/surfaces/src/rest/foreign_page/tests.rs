use super::*;

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
