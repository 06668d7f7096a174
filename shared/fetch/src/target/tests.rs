//! Tests of the rules for URLs, in tables: which URLs are accepted, which are refused, and by which rule. The
//! URLs are written in forms that have passed the checks of other programs.

use proptest::prelude::*;

use super::*;

fn refusal(text: &str, reach: Reach) -> TargetError {
    match Target::parse(text, reach) {
        Ok(target) => panic!("{text} was taken as {target}"),
        Err(error) => error,
    }
}

#[test]
fn fetch_accepts_public_https_urls_as_targets() {
    for (text, url) in [
        ("https://example.org", "https://example.org/"),
        ("  https://Agents.Example.ORG/card.json#top ", "https://agents.example.org/card.json"),
        ("https://nobody.example.org:443/a?b=c", "https://nobody.example.org/a?b=c"),
        ("https://example.org:8443/", "https://example.org:8443/"),
        ("https://example.org./card", "https://example.org/card"),
        ("https://bücher.de/", "https://xn--bcher-kva.de/"),
        ("https://local.example.com/", "https://local.example.com/"),
        ("https://my_agent.example.com/", "https://my_agent.example.com/"),
        ("https://10.0.0.1.nip.io/", "https://10.0.0.1.nip.io/"),
    ] {
        assert_eq!(Target::parse(text, Reach::Public).unwrap().as_str(), url, "{text}");
    }
}

#[test]
fn fetch_accepts_loopback_targets_in_development_mode() {
    for text in [
        "http://127.0.0.1:8080/card",
        "https://127.9.9.9:1/",
        "http://localhost:3000/",
        "http://[::1]:9/",
        "http://127.1/",
        "http://peer.localhost:8080/",
        "http://localhost.:3000/",
        "https://example.org/",
    ] {
        assert!(Target::parse(text, Reach::Development).is_ok(), "{text}");
    }
    use TargetError::*;
    for (text, error) in [
        ("http://10.0.0.1/", IpLiteral),
        ("http://169.254.169.254/", IpLiteral),
        ("http://[::ffff:127.0.0.1]/", IpLiteral),
        ("http://0.0.0.0:8080/", IpLiteral),
        ("http://example.org/", Scheme),
        ("https://example.org:8080/", Port),
        ("http://user@127.0.0.1/", UserInfo),
        ("ftp://127.0.0.1/", Scheme),
        ("http://notlocalhost/", NoDot),
        ("http://localhost.example.org/", Scheme),
    ] {
        assert_eq!(refusal(text, Reach::Development), error, "{text}");
    }
}

#[test]
fn fetch_refuses_a_link_from_a_public_target_to_loopback() {
    let public = Target::parse("https://example.org/a/card.json", Reach::Development).unwrap();
    let relative = public.join("../rpc?x=1", Reach::Development).unwrap();
    assert_eq!(relative.as_str(), "https://example.org/rpc?x=1");
    assert_eq!(public.join("//other.org/b", Reach::Development).unwrap().as_str(), "https://other.org/b");
    assert_eq!(public.join("https://127.0.0.1:8443/", Reach::Development), Err(TargetError::IpLiteral));
    assert_eq!(public.join("https://localhost/", Reach::Development), Err(TargetError::ReservedName));
    let own = Target::parse("http://127.0.0.1:1/a", Reach::Development).unwrap();
    assert_eq!(own.join("http://localhost:2/", Reach::Development).unwrap().origin(), "http://localhost:2");
    assert_eq!(own.join("/b", Reach::Public), Err(TargetError::IpLiteral));
}

#[test]
fn fetch_finds_the_origin_and_the_registrable_domain_of_a_target() {
    let target = Target::parse("https://a.b.example.co.uk/x", Reach::Public).unwrap();
    assert_eq!(target.origin(), "https://a.b.example.co.uk:443");
    assert_eq!(target.registrable_domain().as_deref(), Some("example.co.uk"));
    let tenant = Target::parse("https://me.github.io/", Reach::Public).unwrap();
    assert_eq!(tenant.registrable_domain().as_deref(), Some("me.github.io"));
    let own = Target::parse("http://[::1]:7/", Reach::Development).unwrap();
    assert_eq!((own.origin().as_str(), own.registrable_domain()), ("http://[::1]:7", None));
}

proptest! {
    // Pieces that attackers combine, rather than random text that no parser takes.
    #[test]
    fn fetch_accepts_only_https_host_names_in_public_mode(
        scheme in prop::sample::select(vec!["https://", "http://", "HTTPS:", "https:\\\\", "https:/", "//", "https:////"]),
        user in prop::sample::select(vec!["", "", "", "a@", "a:b@", "example.org@", "@"]),
        host in "([a-z0-9]{0,4}[.。%@:\\\\]?){1,4}|[0-9a-fx.]{1,16}|\\[[0-9a-f:.]{2,20}\\]|localhost|[a-z]{1,5}\\.(org|local|internal|com)\\.?",
        port in prop::sample::select(vec!["", "", ":443", ":8443", ":80", ":22", ":"]),
        rest in "[/?#\\\\@.]{0,2}[ -~]{0,12}",
    ) {
        if let Ok(target) = Target::parse(&format!("{scheme}{user}{host}{port}{rest}"), Reach::Public) {
            let again = Url::parse(target.as_str()).unwrap();
            prop_assert_eq!(&again, target.url());
            prop_assert_eq!(again.scheme(), "https");
            prop_assert!(again.domain().is_some_and(|name| name.contains('.') && !name.ends_with('.')));
            prop_assert!(target.host().parse::<std::net::IpAddr>().is_err());
            prop_assert!(matches!(target.port(), 443 | 8443));
            prop_assert!(again.username().is_empty() && again.password().is_none() && again.fragment().is_none());
            prop_assert!(!is_reserved(target.host().rsplit('.').next().unwrap()));
            prop_assert_eq!(Target::parse(target.as_str(), Reach::Public), Ok(target));
        }
    }
}
