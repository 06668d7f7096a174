//! Tests with cards of every revision as real agents publish them, and with every fault that makes a card unusable.

use crate::limits::{MAX_SKILLS, MOST_TAGS};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;

/// A card with everything that 1.0 requires, and the older fields.
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
    match parse_agent_card(card) {
        Err(CardFault::Invalid(violations)) => violations,
        other => panic!("{other:?}"),
    }
}

fn interface(url: &str, binding: Binding, version: Dialect) -> Interface {
    Interface { url: url.to_owned(), binding, version, tenant: None }
}

#[test]
fn a_complete_card_has_no_warnings() {
    let card = parse_agent_card(&wide()).unwrap();
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
fn interfaces_of_older_cards_come_from_url_and_additional_interfaces() {
    let card = parse_agent_card(&but(&json!({
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
fn version_or_shape_of_a_card_decides_its_a2a_dialect() {
    let of = |changes: Value| parse_agent_card(&but(&changes)).unwrap().dialects;
    let older = |version: Value| of(json!({"supportedInterfaces": null, "protocolVersion": version}));
    assert_eq!(older(json!("0.2.5")), [Dialect::V0_2]);
    assert_eq!(older(json!("0.1")), [Dialect::V0_2]);
    assert_eq!(older(json!("0.3")), [Dialect::V0_3]);
    assert_eq!(older(json!("1.0.1")), [Dialect::V0_3], "only clients of 0.3 read it");
    assert_eq!(older(json!(null)), [Dialect::V0_3]);
    let plain = json!({"supportedInterfaces": null, "protocolVersion": null, "preferredTransport": null});
    assert_eq!(of(plain), [Dialect::V0_2]);
    let bare = json!({"supportedInterfaces": [{"url": "https://a.example"}], "protocolVersion": null});
    assert_eq!(of(bare), [Dialect::V1_0]);
    let early = json!({"supportedInterfaces": [{"url": "https://a.example"}], "protocolVersion": null,
        "protocolVersions": ["0.3.0"]});
    assert_eq!(of(early), [Dialect::V0_3]);
}

#[test]
fn an_incomplete_card_is_accepted_with_warnings() {
    let card = parse_agent_card(
        &json!({"name": " A ", "url": "https://a.example/", "protocolVersion": "1.0", "version": 2,
        "capabilities": ["x"], "skills": [], "documentationUrl": "docs", "provider": "me"}),
    )
    .unwrap();
    assert_eq!((card.name.as_str(), card.version.as_deref()), ("A", Some("2")));
    assert_eq!(
        codes(&card.broken),
        [
            ("description", "description_missing"),
            ("version", "version_missing"),
            ("provider", "provider_malformed"),
            ("capabilities", "capabilities_malformed"),
        ]
    );
    assert_eq!(
        codes(&card.warnings),
        [
            ("supportedInterfaces", "interfaces_missing"),
            ("documentationUrl", "url_unusable"),
            ("skills", "skills_missing"),
            ("defaultInputModes", "modes_missing"),
            ("defaultOutputModes", "modes_missing"),
        ]
    );
    assert!(card.warnings.iter().all(|warning| !warning.fix.is_empty() && !warning.seen.is_empty()));
}

#[test]
fn similar_binding_names_are_accepted() {
    let binding = |name: &str| {
        let card = parse_agent_card(&but(&json!({"supportedInterfaces": null, "preferredTransport": name})))
            .unwrap();
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
}

#[test]
fn a_url_that_is_too_long_before_or_after_escaping_is_refused() {
    let long = format!("https://a.example/{}", "x".repeat(3000));
    let grows = format!("https://a.example/{}", "é".repeat(900));
    assert!(grows.len() < 2048);
    for url in [&long, &grows] {
        let interfaces = json!([{"url": url, "protocolVersion": "1.0"}]);
        let violations = invalid(&but(&json!({"supportedInterfaces": interfaces, "url": null})));
        assert_eq!(codes(&violations)[0], ("supportedInterfaces[0].url", "interface_url_too_long"));
    }
    let card = parse_agent_card(&but(&json!({"documentationUrl": grows}))).unwrap();
    assert_eq!(card.documentation_url, None);
    assert!(codes(&card.warnings).contains(&("documentationUrl", "url_unusable")));
}

#[test]
fn one_usable_interface_is_enough() {
    let card = parse_agent_card(&but(&json!({"supportedInterfaces": [
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
    let card = parse_agent_card(&but(&json!({"supportedInterfaces": "https://weather.example"}))).unwrap();
    assert_eq!(card.interfaces[0].url, "https://weather.example/old");
    let other = json!([{"url": "https://weather.example/rest", "transport": "HTTP+JSON"}]);
    let of = |preferred: &str, url: &str| {
        but(&json!({"supportedInterfaces": null, "protocolVersion": "0.3.0", "url": url,
            "preferredTransport": preferred, "additionalInterfaces": other}))
    };
    assert_eq!(
        codes(&invalid(&of("JSONRPC", "rpc")))[0].1,
        "interface_url_relative",
        "clients call `url` first"
    );
    let card = parse_agent_card(&of("https://example.com/bindings/mqtt", "rpc")).unwrap();
    assert_eq!(card.interfaces.len(), 1, "clients without the preferred transport use another");
    for preferred in ["http+json", "HTTP+JSON"] {
        let card = parse_agent_card(&of(preferred, "https://weather.example/first")).unwrap();
        assert_eq!(
            card.interfaces[0].url, "https://weather.example/rest",
            "{preferred}: the entry is called"
        );
    }
}

#[test]
fn readable_skills_are_kept_and_unreadable_skills_are_skipped() {
    let card = parse_agent_card(&but(&json!({"skills": [
        {"name": "Only a name"}, {"id": 7, "name": "", "tags": ["a", 1, " "]}, "plain", {}, null, 3]})))
    .unwrap();
    let taken: Vec<_> = card.skills.iter().map(|skill| (skill.id.as_str(), skill.name.as_str())).collect();
    assert_eq!(taken, [("Only a name", "Only a name"), ("7", "7"), ("plain", "plain")]);
    assert_eq!(card.skills[1].tags, ["a"]);
    assert_eq!(card.broken.len(), 7, "{:?}", card.broken);
    assert_eq!(card.broken[0].fix, "Add the missing fields as texts: id, description.");
}

/// The result of reading a card that breaks one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comes {
    /// No client could use it.
    Fail(&'static str),
    /// It works, but typed clients refuse it.
    Partial(&'static str),
    /// A warning: working agents break the rule.
    Advice(&'static str),
    Taken,
}

use Comes::{Advice, Fail, Partial, Taken};

fn comes_to(card: &Value) -> Comes {
    match parse_agent_card(card) {
        Err(CardFault::Invalid(violations)) => Fail(violations[0].code),
        Err(CardFault::NotACard { .. }) => Fail("not_a_card"),
        Ok(card) => match (&card.broken[..], &card.warnings[..]) {
            ([first, ..], _) => Partial(first.code),
            ([], [first, ..]) => Advice(first.code),
            ([], []) => Taken,
        },
    }
}

/// One broken card for each rule of the specifications: 1.0 §4.4 (`a2a.proto`), 0.3 §5.5 (`types.ts`). A comment gives
/// the reason where breaking a rule is only a warning.
#[test]
fn every_rule_of_a_card_is_checked() {
    let (none, url, rpc, v1) = (Value::Null, json!("https://a.example"), json!("JSONRPC"), json!("1.0"));
    let interface = |url: &Value, binding: &Value, version: &Value| {
        let mut entry = json!({"url": url, "protocolBinding": binding, "protocolVersion": version});
        entry.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        json!({"supportedInterfaces": [entry], "url": null, "protocolVersion": null})
    };
    let older = |field: &str, value: Value| json!({"supportedInterfaces": null, "protocolVersion": "0.3.0", field: value});
    let skill = |field: &str, value: Value| {
        let mut skill =
            json!({"id": "now", "name": "Now", "description": "The weather now.", "tags": ["weather"]});
        skill[field] = value;
        json!({"skills": [skill]})
    };
    let table = [
        // 1.0 §4.4.1 and 0.3 §5.5: required fields of the card.
        (json!({}), Taken),
        (json!({"name": null}), Fail("name_missing")),
        (json!({"name": ["Weather"]}), Fail("name_missing")),
        (json!({"description": null}), Partial("description_missing")),
        (json!({"description": 7}), Partial("description_missing")),
        // A text, if a poor one.
        (json!({"description": ""}), Advice("description_missing")),
        (json!({"version": null}), Partial("version_missing")),
        (json!({"version": 2}), Partial("version_missing")),
        (json!({"capabilities": null}), Partial("capabilities_malformed")),
        (json!({"capabilities": "streaming"}), Partial("capabilities_malformed")),
        // So in a card of a public collection, whose clients never look.
        (json!({"capabilities": ["streaming"]}), Partial("capabilities_malformed")),
        (json!({"defaultInputModes": "text"}), Partial("modes_missing")),
        (json!({"defaultOutputModes": [7]}), Partial("modes_missing")),
        // Left out or empty in working agents; every client has a default.
        (json!({"defaultInputModes": null}), Advice("modes_missing")),
        (json!({"defaultOutputModes": []}), Advice("modes_missing")),
        (json!({"skills": null}), Partial("skills_missing")),
        (json!({"skills": {"now": {}}}), Partial("skills_missing")),
        // The agents of two well-known frameworks have none.
        (json!({"skills": []}), Advice("skills_missing")),
        // 1.0 §4.4.5, 0.3 §5.5.4: a skill.
        (json!({"skills": [7]}), Partial("skill_incomplete")),
        (skill("id", Value::Null), Partial("skill_incomplete")),
        (skill("id", json!(7)), Partial("skill_incomplete")),
        (skill("name", json!(" ")), Partial("skill_incomplete")),
        (skill("description", Value::Null), Partial("skill_incomplete")),
        (skill("description", json!("")), Advice("skill_incomplete")),
        // Left out in cards of a public collection; clients only search by them.
        (skill("tags", Value::Null), Advice("skill_incomplete")),
        (skill("tags", json!("weather")), Partial("skill_malformed")),
        (skill("tags", json!([7])), Partial("skill_malformed")),
        (skill("examples", json!({})), Partial("skill_malformed")),
        (skill("inputModes", json!("text")), Partial("skill_malformed")),
        (skill("outputModes", json!([null])), Partial("skill_malformed")),
        (json!({"skills": vec![wide()["skills"][0].clone(); MAX_SKILLS + 1]}), Advice("skills_too_many")),
        // 1.0 §4.4.6: an interface; url, protocolBinding and protocolVersion are required.
        (json!({"supportedInterfaces": [], "url": null}), Fail("no_interface")),
        (json!({"supportedInterfaces": {}}), Partial("interfaces_malformed")),
        (interface(&none, &rpc, &v1), Fail("interface_url_missing")),
        (interface(&json!("a2a"), &rpc, &v1), Fail("interface_url_relative")),
        (interface(&url, &none, &v1), Partial("binding_missing")),
        (interface(&url, &json!(7), &v1), Partial("binding_missing")),
        // Nearly right names are common, and understood.
        (interface(&url, &json!("jsonrpc"), &v1), Advice("binding_unknown")),
        (interface(&url, &rpc, &none), Advice("protocol_version_unknown")),
        (interface(&url, &rpc, &json!("9.9")), Advice("protocol_version_unknown")),
        // 0.3 §5.5: url, protocolVersion, preferredTransport, additionalInterfaces.
        (json!({"supportedInterfaces": null, "url": 7}), Fail("interface_url_missing")),
        (older("protocolVersion", json!("1999-01-01")), Advice("protocol_version_unknown")),
        (older("protocolVersion", json!(0.3)), Advice("protocol_version_unknown")),
        // 0.2 has no such field.
        (older("protocolVersion", Value::Null), Taken),
        (older("preferredTransport", json!([])), Partial("binding_missing")),
        (json!({"additionalInterfaces": {}}), Partial("interfaces_malformed")),
        (older("additionalInterfaces", json!([{"url": "https://a.example"}])), Partial("binding_missing")),
        // 1.0 §4.4.3 and §4.4.4: capabilities and extensions.
        (json!({"capabilities": {"streaming": 1}}), Partial("capabilities_malformed")),
        // Texts in the samples of the protocol's own repository.
        (json!({"capabilities": {"streaming": "True"}}), Taken),
        (json!({"capabilities": {"extensions": {}}}), Partial("capabilities_malformed")),
        (json!({"capabilities": {"extensions": [{}]}}), Partial("capabilities_malformed")),
        // 1.0 §4.4.2: provider.
        (json!({"provider": "me"}), Partial("provider_malformed")),
        (json!({"provider": {"url": "https://a.example"}}), Partial("provider_malformed")),
        (json!({"provider": {"organization": "A", "url": "a.example"}}), Advice("url_unusable")),
        (json!({"provider": null}), Taken),
        // Links, security (§4.5), signatures (§4.4.7).
        (json!({"documentationUrl": 7}), Partial("url_unusable")),
        (json!({"documentationUrl": "docs/"}), Advice("url_unusable")),
        (json!({"iconUrl": []}), Partial("url_unusable")),
        (json!({"securitySchemes": []}), Partial("security_malformed")),
        (json!({"securitySchemes": {"key": "apiKey"}}), Partial("security_malformed")),
        (json!({"securityRequirements": {}}), Partial("security_malformed")),
        (json!({"security": ["key"]}), Partial("security_malformed")),
        (json!({"signatures": {}}), Partial("signatures_malformed")),
        (json!({"signatures": [{"protected": "e30"}]}), Partial("signatures_malformed")),
        (json!({"supportsAuthenticatedExtendedCard": "no"}), Partial("flag_malformed")),
        // 1.0 §5.7: fields that are not known are ignored.
        (json!({"vendor": 7, "protocols": ["a2a"]}), Taken),
    ];
    for (changes, wanted) in table {
        assert_eq!(comes_to(&but(&changes)), wanted, "{changes}");
    }
}

#[test]
fn document_that_is_not_a_card_is_recognized() {
    let mcp = |url: &str| Some(Lead::Mcp(url.to_owned()));
    let table = [
        (json!(null), "null", None),
        (json!("<html></html>"), "an HTML page", None),
        (json!([1, 2, 3]), "a list of 3; a card is one object", None),
        (json!({}), "an empty object", None),
        (json!({"jsonrpc": "2.0", "id": 1, "result": {}}), "a JSON-RPC response", None),
        (json!({"detail": "Not Found"}), "an error message (\"Not Found\")", None),
        (json!({"name": "Shop", "start_url": "/", "display": "standalone"}), "a web app manifest", None),
        (json!({"openapi": "3.1.0", "info": {}}), "an OpenAPI document", None),
        (
            json!({"name": "a/b", "packages": [], "version": "1"}),
            "an MCP server description (server.json)",
            None,
        ),
        (
            json!({"serverInfo": {"name": "x"}, "url": "https://a.example/m", "capabilities": {}}),
            "an MCP server card: https://a.example/m",
            mcp("https://a.example/m"),
        ),
        (
            json!({"name": "x", "url": "/m", "transport": {"type": "streamable-http", "url": "/m"}, "capabilities": {}}),
            "an MCP server card: /m",
            mcp("/m"),
        ),
        (
            json!({"name": "x", "serverUrl": "/m", "openapi": "/o", "tools": []}),
            "an MCP server card: /m",
            mcp("/m"),
        ),
        (
            json!({"mcpServers": {"x": {"url": "https://a.example/m"}}}),
            "a configuration file of an MCP client: https://a.example/m",
            mcp("https://a.example/m"),
        ),
        (
            json!({"agentCards": ["https://a.example/c"], "mcpServers": [{"url": "https://a.example/m"}]}),
            "a list of servers and cards: https://a.example/m, https://a.example/c",
            None,
        ),
        (json!({"entries": [{"url": "https://a.example/c"}]}), "an AI catalog: https://a.example/c", None),
        (
            json!({"type": "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
                "services": [{"name": "A2A", "endpoint": "https://a.example/c"}]}),
            "an ERC-8004 registration: https://a.example/c",
            Some(Lead::Card("https://a.example/c".to_owned())),
        ),
        (json!({"@type": "AgentCard", "@context": "x"}), "a JSON-LD AgentCard without an endpoint", None),
        (
            json!({"modules": [{"name": "integration/a2a"}], "skills": [], "authentication": {}}),
            "an OASF record",
            None,
        ),
        (json!({"alpha": 1, "beta": 2}), "an object with alpha, beta", None),
    ];
    for (document, seen, leads_to) in table {
        let Err(CardFault::NotACard(other)) = parse_agent_card(&document) else { panic!("{document}") };
        assert_eq!((other.seen.as_str(), other.leads_to), (seen, leads_to), "{document}");
        assert!(other.fix.ends_with('.'), "{document}");
    }
}

#[test]
fn stored_texts_have_bounded_lengths() {
    let skills: Vec<Value> =
        (0..500).map(|n| json!({"id": n, "name": "n".repeat(500), "tags": vec!["t"; 99]})).collect();
    let card = parse_agent_card(&but(
        &json!({"name": "ä".repeat(500), "description": "d".repeat(5000), "skills": skills}),
    ))
    .unwrap();
    assert_eq!(card.name.chars().count(), LONGEST_NAME + 1);
    assert_eq!(card.description.chars().count(), LONGEST_DESCRIPTION + 1);
    assert_eq!(card.skills.len(), MAX_SKILLS);
    assert_eq!(card.skills[0].tags.len(), MOST_TAGS);
}

#[test]
fn card_of_two_megabytes_is_parsed_quickly() {
    let nonsense = "<b>\u{202E}x ".repeat(250_000);
    let many: Vec<Value> = (0..40_000).map(|n| json!({"url": n, "id": {"deep": [n]}})).collect();
    let card = but(&json!({"name": nonsense, "description": nonsense, "url": nonsense,
        "supportedInterfaces": many, "additionalInterfaces": many, "skills": many, "security": many}));
    let began = Instant::now();
    let violations = invalid(&card);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(violations.iter().map(|f| f.seen.len() + f.path.len() + f.fix.len()).sum::<usize>() < 20_000);
}
