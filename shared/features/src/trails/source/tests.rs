use super::*;

#[test]
fn a_listing_is_recognized_by_id_name_and_domain() {
    let id = "agtpub_0123456789abcdef0123".parse().unwrap();
    let card = "https://agents.acme.dev/.well-known/agent-card.json".to_owned();
    let listing =
        Listing { url: Some(card), ..Listing::new(id, "Weather Bot".to_owned(), Moment::UNIX_EPOCH) };
    for own in [
        listing.id.as_str(),
        " weather  BOT ",
        "agents.acme.dev",
        "acme.dev",
        "https://www.agents.acme.dev/about?x=1",
    ] {
        assert!(is_itself(own, &listing), "{own}");
    }
    for other in ["acceptance", "dev", "acme", "me.dev", "weather", "https://other.dev/", "a b c"] {
        assert!(!is_itself(other, &listing), "{other}");
    }
}

#[test]
fn digest_of_a_caller_differs_between_listings_and_actions() {
    let at = |id: &str, caller, what| source_digest(caller, &id.parse().unwrap(), what);
    let one = at("mcp-a", "1", "endorse");
    assert_eq!((at("mcp-a", "1", "endorse"), one.len()), (one.clone(), 24));
    for other in [at("mcp-b", "1", "endorse"), at("mcp-a", "2", "endorse"), at("mcp-a", "1", "leave_trace")] {
        assert_ne!(other, one);
    }
}
