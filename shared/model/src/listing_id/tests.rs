use super::*;

#[test]
fn the_same_url_has_the_same_id() {
    let id = |text: &str| ListingId::of_url(&Url::parse(text).unwrap());
    assert_eq!(id("https://A.example/card.json"), id("https://a.example:443/card.json#x"));
    assert_eq!(id("https://a.example"), id("https://a.example/"));
    assert_ne!(id("https://a.example/card.json"), id("https://a.example/Card.json"));
    assert_eq!(id("https://a.example").as_str().len(), 27);
}

#[test]
fn a_name_becomes_a_slug() {
    let id = |name: &str| ListingId::of_name(Kind::Mcp, name).to_string();
    assert_eq!(id("io.github.Acme/Weather_MCP"), "mcp-io-github-acme-weather-mcp");
    assert_eq!(id("日本"), format!("mcp-{}", hex_of("日本".as_bytes(), 12)));
    assert!(id(&"x".repeat(500)).parse::<ListingId>().is_ok());
}

#[test]
fn invalid_ids_are_refused() {
    for text in [
        "",
        "agtpub_",
        "agtpub_XYZ",
        "agtpub-00000000000000000000",
        "mcp-",
        "mcp_x",
        "agent-UPPER",
        "other-x",
    ] {
        assert_eq!(text.parse::<ListingId>(), Err(InvalidListingId), "{text}");
    }
    for text in ["agtpub_0123456789abcdef0123", "mcp-a", "agent-x.y_z-1"] {
        assert!(text.parse::<ListingId>().is_ok(), "{text}");
    }
}
