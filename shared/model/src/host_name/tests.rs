use super::*;

fn host(text: &str) -> HostName {
    text.parse().unwrap()
}

#[test]
fn a_host_includes_itself_and_its_subdomains() {
    let of_url = |url: &str| HostName::of_url(url).unwrap();
    for inside in [
        "https://evil.example.org/card.json",
        "https://A.B.Evil.example.org:8443/",
        "https://evil.example.org./",
    ] {
        assert!(host("Evil.Example.org.").covers(&of_url(inside)), "{inside}");
    }
    for outside in
        ["https://example.org/", "https://notevil.example.org/", "https://evil.example.org.example.com/"]
    {
        assert!(!host("evil.example.org").covers(&of_url(outside)), "{outside}");
    }
    assert!(host("127.0.0.1").covers(&of_url("http://127.0.0.1:8080/x")));
    assert!(!host("0.0.1.1").covers(&of_url("http://127.0.0.1/")), "an address has no parts");
}

#[test]
fn hosts_are_stored_under_their_registrable_domain() {
    for (text, zone, reversed) in [
        ("a.b.example.org", "example.org", "org.example.b.a."),
        ("example.org", "example.org", "org.example."),
        ("127.0.0.1", "127.0.0.1", "127.0.0.1."),
        ("[::1]", "[::1]", "[::1]."),
        ("localhost", "localhost", "localhost."),
    ] {
        assert_eq!((host(text).zone().as_str(), host(text).reversed().as_str()), (zone, reversed));
    }
}

#[test]
fn invalid_hosts_are_refused() {
    let long = format!("{}org", "a.".repeat(130));
    for text in [
        "",
        ".",
        "com",
        "https://a.example.org",
        "a.example.org:8443",
        "a b.example.org",
        "a..example.org",
        &long,
    ] {
        assert_eq!(text.parse::<HostName>(), Err(InvalidHostName), "{text}");
    }
    assert_eq!(host("bücher.example.org").as_str(), "xn--bcher-kva.example.org");
}
