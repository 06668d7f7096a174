use super::*;
use registry_features::listing::listing_urn as urn_of;

fn urn() -> regex::Regex {
    regex::Regex::new(r"^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._-]+)+$").unwrap()
}

#[test]
fn urn_of_a_listing_contains_its_host() {
    let id = |text: &str| text.parse::<ListingId>().unwrap();
    for (url, kind, listing, expected) in [
        (
            "https://acme.dev/card.json",
            Kind::Agent,
            "agtpub_0123456789abcdef0123",
            "urn:air:acme.dev:agent:agtpub_0123456789abcdef0123",
        ),
        (
            "https://acme.dev/mcp",
            Kind::Mcp,
            "mcp-io-github-acme-weather",
            "urn:air:acme.dev:mcp:io-github-acme-weather",
        ),
        ("https://acme.dev/mcp", Kind::Agent, "mcp-x", "urn:air:acme.dev:agent:mcp-x"),
        ("http://127.0.0.1:8080/card.json", Kind::Agent, "agent-x", "urn:air:127.0.0.1:agent:x"),
        ("http://[::1]:8080/mcp", Kind::Mcp, "mcp-x", "urn:air:--1:mcp:x"),
        ("https://größe.example/mcp", Kind::Mcp, "mcp-x", "urn:air:xn--gre-6ka8i.example:mcp:x"),
        ("https://under_score.example/mcp", Kind::Mcp, "mcp-x", "urn:air:under-score.example:mcp:x"),
        ("no url", Kind::Mcp, "mcp-x", "urn:air:localhost:mcp:x"),
    ] {
        let made = urn_of(url, kind, &id(listing));
        assert_eq!(made, expected);
        assert!(urn().is_match(&made), "{made}");
    }
}
