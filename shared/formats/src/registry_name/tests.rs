use registry_model::{Ownership, Texts};
use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use registry_model::Moment;

fn listing(id: ListingId) -> Listing {
    Listing::new(id, "Weather".to_owned(), Moment::UNIX_EPOCH)
}

fn at(url: &str) -> Listing {
    let url = Url::parse(url).unwrap();
    Listing { url: Some(url.to_string()), ..listing(ListingId::of_url(&url)) }
}

fn described(name: &str) -> Listing {
    Listing {
        ownership: Ownership {
            server_name: Some(name.to_owned()),
            ..listing(ListingId::of_name(Kind::Mcp, name)).ownership
        },
        ..listing(ListingId::of_name(Kind::Mcp, name))
    }
}

#[test]
fn second_server_with_the_same_name_gets_a_suffix() {
    let first = described("io.github.Acme/Weather_MCP");
    assert_eq!(name_of_listing(&first), "io.github.Acme/Weather_MCP");
    let id = ListingId::of_taken_name(Kind::Mcp, "io.github.Acme/Weather_MCP", "other.org");
    let second = name_of_listing(&Listing { id, ..first });
    assert!(second.starts_with("io.github.Acme/Weather_MCP_") && is_name(&second), "{second}");
}

#[test]
fn names_are_derived_from_urls() {
    let shape = |url: &str| {
        let name = name_of_listing(&at(url));
        assert!(is_name(&name) && looks_marked(&name), "{name}");
        name.rsplit_once('_').unwrap().0.to_owned()
    };
    assert_eq!(shape("https://mcp.weather.org/v1/mcp"), "org.weather.mcp/v1.mcp");
    assert_eq!(shape("https://weather.org/"), "org.weather/server");
    assert_eq!(shape("https://weather.org/@acme/w%20x/"), "org.weather/acme.w-20x");
    assert_eq!(shape("http://127.0.0.1:9000/mcp"), "127.0.0.1/mcp");
    assert_eq!(shape("http://[::1]:9000/m"), "localhost/server");
    assert_eq!(shape("http://localhost:9000/mcp"), "localhost/mcp");
}

#[test]
fn similar_listings_have_different_names() {
    let listings = [
        at("https://weather.org/mcp"),
        at("https://weather.org/mcp?tenant=1"),
        at("https://weather.org/MCP"),
        at("https://weather.org:8443/mcp"),
        described("org.weather/mcp"),
        described("org.weather/mcp_0123456789"),
    ];
    let names: BTreeSet<String> = listings.iter().map(name_of_listing).collect();
    assert_eq!(names.len(), listings.len(), "{names:?}");
    // A server described under the very name that another's URL leads to gets another name.
    let taken = name_of_listing(&listings[0]);
    assert_ne!(name_of_listing(&described(&taken)), taken);
}

#[test]
fn a_name_does_not_depend_on_the_display_name() {
    let before = at("https://weather.org/mcp");
    let after = Listing {
        texts: Texts { name: "Weather, now better".to_owned(), ..before.texts.clone() },
        ..before.clone()
    };
    assert_eq!(name_of_listing(&before), name_of_listing(&after));
}

proptest! {
    #[test]
    fn every_name_is_valid(
        server_name: Option<String>,
        described in proptest::option::of("[a-zA-Z0-9.-]{1,130}/[a-zA-Z0-9._-]{1,90}"),
        url in proptest::option::of("(https?://)?[a-z0-9.:_\\[\\]-]{0,300}(/[ -~é]{0,90})?"),
    ) {
        let server_name = described.or(server_name);
        let listing = Listing { url, ownership: Ownership { server_name, ..at("https://weather.org/mcp").ownership }, ..at("https://weather.org/mcp") };
        let name = name_of_listing(&listing);
        prop_assert!(is_name(&name), "{}", name);
    }
}
