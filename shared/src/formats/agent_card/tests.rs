//! Cards of every revision as they are met, and everything that keeps one from being used.

use crate::formats::limits::{MOST_SKILLS, MOST_TAGS};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// A card as 1.0 wants it, with the older fields beside.
fn wide() -> Value {
    json!({
        "name": "Weather agent", "description": "Tells the weather of any city in the world.", "version": "1.2.0",
        "url": "https://weather.example/old", "protocolVersion": "1.0", "preferredTransport": "JSONRPC",
        "documentationUrl": "https://weather.example/docs",
        "provider": {"organization": "Weather", "url": "https://weather.example"},
        "supportedInterfaces": [
            {"url": "https://weather.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": "https://weather.example/a2a", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
            {"url": "https://weather.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"}],
        "capabilities": {"streaming": false},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "securitySchemes": {"none": {"type": "http", "scheme": "none"}}, "securityRequirements": [{}],
        "skills": [{"id": "now", "name": "Now", "description": "The weather now.", "tags": ["weather"]}],
        "vendor": {"anything": true}
    })
}

/// The same card with some members replaced, or taken out by null.
fn but(changes: &Value) -> Value {
    let mut card = wide();
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            card.as_object_mut().unwrap().remove(name);
        } else {
            card[name] = value.clone();
        }
    }
    card
}

fn codes(violations: &[CardViolation]) -> Vec<(&str, &str)> {
    violations.iter().map(|violation| (violation.path.as_str(), violation.code)).collect()
}

fn invalid(card: &Value) -> Vec<CardViolation> {
    match read(card) {
        Err(CardFault::Invalid(violations)) => violations,
        other => panic!("{other:?}"),
    }
}

fn interface(url: &str, binding: Binding, version: Dialect) -> Interface {
    Interface { url: url.to_owned(), binding, version }
}

#[test]
fn a_wide_card_is_read_without_a_warning() {
    let card = read(&wide()).unwrap();
    assert_eq!(card.name, "Weather agent");
    assert_eq!(card.version.as_deref(), Some("1.2.0"));
    assert_eq!(card.documentation_url.as_deref(), Some("https://weather.example/docs"));
    assert_eq!(card.provider_url.as_deref(), Some("https://weather.example/"));
    let url = "https://weather.example/a2a";
    assert_eq!(
        card.interfaces,
        [
            interface(url, Binding::JsonRpc, Dialect::V1_0),
            interface(url, Binding::HttpJson, Dialect::V1_0),
            interface(url, Binding::JsonRpc, Dialect::V0_3),
        ]
    );
    assert_eq!(card.dialects, [Dialect::V1_0, Dialect::V0_3]);
    assert_eq!(card.skills[0].tags, ["weather"]);
    assert_eq!(card.warnings, []);
    assert!(!card.authenticated);
}

#[test]
fn older_cards_are_read_by_url_transport_and_additional_interfaces() {
    let card = read(&but(&json!({
        "supportedInterfaces": null, "protocolVersion": "0.3.0", "url": "https://weather.example/rpc",
        "additionalInterfaces": [
            {"url": "https://weather.example/rpc", "transport": "JSONRPC"},
            {"url": "https://weather.example/rest", "transport": "HTTP+JSON"},
            {"url": "weather.example:443", "transport": "GRPC"}]
    })))
    .unwrap();
    assert_eq!(
        card.interfaces,
        [
            interface("https://weather.example/rpc", Binding::JsonRpc, Dialect::V0_3),
            interface("https://weather.example/rest", Binding::HttpJson, Dialect::V0_3),
            interface("weather.example:443", Binding::Grpc, Dialect::V0_3),
        ]
    );
    assert_eq!(card.warnings, []);
}

#[test]
fn the_dialect_follows_from_what_the_card_states_or_from_its_shape() {
    let of = |changes: Value| read(&but(&changes)).unwrap().dialects;
    let url = json!({"supportedInterfaces": null});
    let with = |more: Value| {
        let mut changes = url.clone();
        changes.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        changes
    };
    assert_eq!(of(with(json!({"protocolVersion": "0.2.5"}))), [Dialect::V0_2]);
    assert_eq!(of(with(json!({"protocolVersion": "0.1"}))), [Dialect::V0_2]);
    assert_eq!(of(with(json!({"protocolVersion": "0.3"}))), [Dialect::V0_3]);
    assert_eq!(of(with(json!({"protocolVersion": "1.0.1"}))), [Dialect::V1_0]);
    assert_eq!(of(with(json!({"protocolVersion": null}))), [Dialect::V0_3]);
    assert_eq!(of(with(json!({"protocolVersion": null, "preferredTransport": null}))), [Dialect::V0_2]);
    let bare = json!({"supportedInterfaces": [{"url": "https://a.example"}], "protocolVersion": null});
    assert_eq!(of(bare), [Dialect::V1_0]);
    let early = json!({"supportedInterfaces": [{"url": "https://a.example"}], "protocolVersion": null,
        "protocolVersions": ["0.3.0"]});
    assert_eq!(of(early), [Dialect::V0_3]);
}

#[test]
fn a_poor_card_is_taken_with_warnings() {
    let card =
        read(&json!({"name": " A ", "url": "https://a.example/", "protocolVersion": "1.0", "version": 2,
        "capabilities": ["x"], "skills": [], "documentationUrl": "docs", "provider": "me"}))
        .unwrap();
    assert_eq!((card.name.as_str(), card.version.as_deref()), ("A", Some("2")));
    assert_eq!(
        codes(&card.warnings),
        [
            ("supportedInterfaces", "interfaces_missing"),
            ("description", "description_missing"),
            ("version", "version_missing"),
            ("documentationUrl", "url_unusable"),
            ("provider", "provider_malformed"),
            ("skills", "skills_missing"),
            ("defaultInputModes", "modes_missing"),
            ("defaultOutputModes", "modes_missing"),
            ("capabilities", "capabilities_malformed"),
        ]
    );
    assert!(card.warnings.iter().all(|warning| !warning.fix.is_empty() && !warning.seen.is_empty()));
}

#[test]
fn names_of_bindings_are_understood_when_they_are_nearly_right() {
    let binding = |name: &str| {
        let card = read(&but(&json!({"supportedInterfaces": null, "preferredTransport": name}))).unwrap();
        (card.interfaces[0].binding.clone(), card.warnings.iter().any(|w| w.code == "binding_unknown"))
    };
    assert_eq!(binding("JSONRPC"), (Binding::JsonRpc, false));
    assert_eq!(binding("json-rpc"), (Binding::JsonRpc, true));
    assert_eq!(binding("REST"), (Binding::HttpJson, true));
    assert_eq!(binding("http+json"), (Binding::HttpJson, true));
    assert_eq!(binding("Carrier pigeon"), (Binding::Other("Carrier pigeon".to_owned()), true));
    let own = "https://example.com/bindings/ws";
    assert_eq!(binding(own), (Binding::Other(own.to_owned()), false));
}

#[test]
fn a_card_without_name_or_usable_interface_is_invalid() {
    assert_eq!(codes(&invalid(&but(&json!({"name": "  "})))), [("name", "name_missing")]);
    assert_eq!(codes(&invalid(&but(&json!({"name": 7})))), [("name", "name_missing")]);
    let nowhere = but(&json!({"supportedInterfaces": [], "url": null, "name": null}));
    assert_eq!(
        codes(&invalid(&nowhere)),
        [("name", "name_missing"), ("supportedInterfaces", "no_interface")]
    );
    let unusable = [
        ("", "interface_url_missing"),
        ("/a2a", "interface_url_relative"),
        ("a.example/a2a", "interface_url_relative"),
        ("localhost:9999", "interface_url_scheme"),
        ("ftp://a.example", "interface_url_scheme"),
        ("https://", "interface_url_unreadable"),
        ("https://user:secret@a.example", "interface_url_credentials"),
        ("https://{tenant}.example", "interface_url_template"),
    ];
    for (url, code) in unusable {
        let violations = invalid(&but(&json!({"supportedInterfaces": null, "url": url})));
        assert_eq!(codes(&violations), [("url", code), ("supportedInterfaces", "no_interface")], "{url}");
    }
    let long = format!("https://a.example/{}", "x".repeat(3000));
    let violations = invalid(&but(
        &json!({"supportedInterfaces": [{"url": long, "protocolVersion": "1.0"}], "url": null}),
    ));
    assert_eq!(violations[0].code, "interface_url_too_long");
    assert_eq!(violations[0].path, "supportedInterfaces[0].url");
}

#[test]
fn one_usable_interface_is_enough_and_the_others_are_told() {
    let card = read(&but(&json!({"supportedInterfaces": [
        {"url": "/relative", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
        {"url": "http://weather.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
        {"url": "http://localhost:10999", "protocolBinding": "JSONRPC", "protocolVersion": "9.9"}]})))
    .unwrap();
    assert_eq!(card.interfaces.len(), 2);
    assert_eq!(
        codes(&card.warnings),
        [
            ("supportedInterfaces[0].url", "interface_url_relative"),
            ("supportedInterfaces[1].url", "interface_not_https"),
            ("supportedInterfaces[2].protocolVersion", "protocol_version_unknown"),
            ("supportedInterfaces[2].url", "interface_local"),
        ]
    );
    let card = read(&but(&json!({"supportedInterfaces": "https://weather.example"}))).unwrap();
    assert_eq!(card.interfaces[0].url, "https://weather.example/old");
}

#[test]
fn skills_are_taken_as_far_as_they_can_be_read() {
    let card = read(&but(&json!({"skills": [
        {"name": "Only a name"}, {"id": 7, "name": "", "tags": ["a", 1, " "]}, "plain", {}, null, 3]})))
    .unwrap();
    let taken: Vec<_> = card.skills.iter().map(|skill| (skill.id.as_str(), skill.name.as_str())).collect();
    assert_eq!(taken, [("Only a name", "Only a name"), ("7", "7"), ("plain", "plain")]);
    assert_eq!(card.skills[1].tags, ["a"]);
    assert_eq!(card.warnings.len(), 6);
    assert_eq!(card.warnings[0].fix, "Add what is missing: id, description, tags.");
}

#[test]
fn what_is_no_card_is_called_by_what_it_looks_like() {
    let told = [
        (json!(null), "null"),
        (json!("<html></html>"), "an HTML page"),
        (json!([1, 2, 3]), "a list of 3; a card is one object"),
        (json!({}), "an empty object"),
        (
            json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
            "a JSON-RPC answer; publish the card's address, not the endpoint's",
        ),
        (json!({"detail": "Not Found"}), "an error message (\"Not Found\")"),
        (json!({"name": "Shop", "start_url": "/", "display": "standalone"}), "a web app manifest"),
        (json!({"openapi": "3.1.0", "info": {}}), "an OpenAPI document"),
        (
            json!({"name": "a/b", "packages": [], "version": "1"}),
            "an MCP server description (server.json); publish it as the body itself",
        ),
        (
            json!({"serverInfo": {"name": "x"}, "protocolVersion": "2025-06-18", "capabilities": {}}),
            "an MCP server card; publish the server's address as `mcp_url`",
        ),
        (
            json!({"modules": [{"name": "integration/a2a"}], "skills": [], "authentication": {}}),
            "an OASF record; the card is inside it, under modules[].data.card_data",
        ),
        (json!({"alpha": 1, "beta": 2}), "an object with alpha, beta"),
    ];
    for (document, words) in told {
        assert_eq!(read(&document), Err(CardFault::NotACard { seen: words.to_owned() }), "{document}");
    }
}

#[test]
fn what_is_taken_over_has_a_sane_length() {
    let skills: Vec<Value> =
        (0..500).map(|n| json!({"id": n, "name": "n".repeat(500), "tags": vec!["t"; 99]})).collect();
    let card =
        read(&but(&json!({"name": "ä".repeat(500), "description": "d".repeat(5000), "skills": skills})))
            .unwrap();
    assert_eq!(card.name.chars().count(), LONGEST_NAME + 1);
    assert_eq!(card.description.chars().count(), LONGEST_DESCRIPTION + 1);
    assert_eq!(card.skills.len(), MOST_SKILLS);
    assert_eq!(card.skills[0].tags.len(), MOST_TAGS);
}

#[test]
fn two_megabytes_of_nonsense_are_read_in_no_time() {
    let nonsense = "<b>\u{202E}x ".repeat(250_000);
    let many: Vec<Value> = (0..40_000).map(|n| json!({"url": n, "id": {"deep": [n]}})).collect();
    let card = but(&json!({"name": nonsense, "description": nonsense, "url": nonsense,
        "supportedInterfaces": many, "additionalInterfaces": many, "skills": many, "security": many}));
    let began = Instant::now();
    let violations = invalid(&card);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(violations.iter().map(|f| f.seen.len() + f.path.len() + f.fix.len()).sum::<usize>() < 20_000);
}

proptest! {
    #[test]
    fn no_document_makes_it_panic(document in arbitrary::document()) {
        told(&document)?;
    }

    #[test]
    fn no_damaged_card_makes_it_panic(document in arbitrary::damaged(wide())) {
        told(&document)?;
    }
}

/// What holds of every answer.
fn told(document: &Value) -> Result<(), TestCaseError> {
    match read(document) {
        Ok(card) => {
            prop_assert!(!card.name.is_empty() && !card.interfaces.is_empty());
            prop_assert!(!card.dialects.is_empty());
        }
        Err(CardFault::Invalid(violations)) => {
            prop_assert!(!violations.is_empty());
            prop_assert!(violations.iter().all(|violation| !violation.fix.is_empty()));
        }
        Err(CardFault::NotACard { seen }) => prop_assert!(!seen.is_empty()),
    }
    Ok(())
}
