use std::sync::LazyLock;

use jsonschema::Validator;
use proptest::prelude::*;

use crate::listing::server_entry::*;
use crate::publish::submission::{PublishRequest, Submission};
use registry_formats::server_json;
use registry_model::{Handshake, Lane, LastProbe, Ownership, Proof, Reach, Schedule, Texts};
use registry_settings::Mode;

static OFFICIAL_SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema = include_str!("../../../../formats/src/server_json/server.schema.json");
    let options = jsonschema::draft7::options().should_validate_formats(true);
    options.build(&serde_json::from_str(schema).unwrap()).unwrap()
});

fn settings(base_url: &str) -> Settings {
    Settings::from_env(Mode::Development, |name| (name == "BASE_URL").then(|| base_url.to_owned())).unwrap()
}

fn adder() -> Listing {
    let url = Some("https://mcp.adder.org/mcp".to_owned());
    let submission =
        Submission::parse(PublishRequest { mcp_url: url, ..PublishRequest::default() }, Reach::Public)
            .unwrap();
    let at = "2026-11-20T12:00:00Z".parse().unwrap();
    Listing {
        endpoint: Some("https://mcp.adder.org/mcp".to_owned()),
        lane: Lane::Active,
        texts: Texts {
            name: "Adder".to_owned(),
            description: Some("Adds numbers.".to_owned()),
            version: Some("3.1.0".to_owned()),
            website: Some("https://adder.org/".to_owned()),
            ..Texts::default()
        },
        proof: Proof {
            live_since: Some(at),
            era: Some("2026-07-28".to_owned()),
            tools_hash: Some("5e1f".to_owned()),
            probe: Some(LastProbe {
                handshake: Handshake::Ok,
                score: 94,
                at,
                target: "https://mcp.adder.org/mcp".to_owned(),
                latency_ms: Some(180),
            }),
            ..Proof::default()
        },
        ..submission.listing(submission.ids().0, at)
    }
}

fn rendered(listing: &Listing) -> Value {
    let changed_at = "2026-11-20T12:05:00Z".parse().unwrap();
    json!(ServerResponse::of(listing, None, Some(changed_at), &settings("https://registry.example.com")))
}

#[test]
fn server_includes_its_evidence() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&rendered(&adder())).unwrap());
}

#[test]
fn time_of_a_change_is_absent_if_it_is_unknown() {
    let unknown = json!(ServerResponse::of(&adder(), None, None, &settings("https://registry.example.com")));
    assert!(unknown["_meta"][OFFICIAL].get("updatedAt").is_none());
}

#[test]
fn unconfirmed_failures_are_reported() {
    let proof = &rendered(&Listing { schedule: Schedule { failures: 2, ..adder().schedule }, ..adder() })["_meta"]
        ["com.example.registry/evidence"];
    assert_eq!(proof["class"], "ok");
    assert!(proof["reason"].as_str().unwrap().contains("Failed probes after that: 2"), "{proof}");
    let older = Listing { proof: Proof { era: Some("2025-06-18".to_owned()), ..adder().proof }, ..adder() };
    let evidence = &rendered(&older)["_meta"]["com.example.registry/evidence"];
    assert_eq!(evidence["method"], "initialize, tools/list");
    let without_tools =
        Listing { proof: Proof { tools_hash: Some(NO_TOOLS.to_owned()), ..older.proof }, ..older };
    let evidence = &rendered(&without_tools)["_meta"]["com.example.registry/evidence"];
    assert_eq!(evidence["method"], "initialize, tools/list if it declares tools");
}

#[test]
fn invalid_versions_become_0_0_0() {
    let version = |text: Option<&str>| {
        version(&Listing { texts: Texts { version: text.map(str::to_owned), ..adder().texts }, ..adder() })
    };
    for text in ["3.1.0", "1.0.0+build.5", "2025-11-20", "v1", "experimental"] {
        assert_eq!(version(Some(text)), text);
    }
    assert_eq!(version(Some(" 1.0 ")), "1.0");
    for text in ["", " ", "latest", "^1.2.3", "1.x", ">=1.0", "1.2 || 1.3", "..", "1\u{0}2", &"9".repeat(256)]
    {
        assert_eq!(version(Some(text)), "0.0.0", "{text:?}");
    }
    assert_eq!(version(None), "0.0.0");
}

#[test]
fn long_description_ends_after_a_word() {
    let text = |text: &str| {
        let listing =
            Listing { texts: Texts { description: Some(text.to_owned()), ..adder().texts }, ..adder() };
        rendered(&listing)["server"]["description"].as_str().unwrap().to_owned()
    };
    assert_eq!(text(" Adds\n numbers.\u{0} "), "Adds numbers.");
    let long = "Adds numbers, subtracts numbers, multiplies numbers, divides numbers and, when asked kindly, takes roots.";
    assert_eq!(
        text(long),
        "Adds numbers, subtracts numbers, multiplies numbers, divides numbers and, when asked kindly, takes…"
    );
    assert_eq!(text(&"x".repeat(101)), format!("{}…", "x".repeat(99)));
    assert_eq!(text(&"é".repeat(100)), "é".repeat(100));
    assert_eq!(text(&format!("Added {}", "日".repeat(200))), format!("Added {}…", "日".repeat(93)));
    for nothing in ["", " \n", "\u{7}"] {
        assert_eq!(text(nothing), "An MCP server at mcp.adder.org.");
    }
}

#[test]
fn website_must_be_a_strict_https_uri() {
    assert_eq!(website("https://adder.org/a?b=c#d").as_deref(), Some("https://adder.org/a?b=c#d"));
    assert_eq!(website("https://bücher.example/ä").as_deref(), Some("https://xn--bcher-kva.example/%C3%A4"));
    for other in [
        "http://adder.org/",
        "adder.org",
        "https://adder.org/?a|b",
        "https://adder.org/%zz",
        "https://adder.org/#a#b",
        "mailto:a@b",
    ] {
        assert_eq!(website(other), None, "{other}");
    }
}

#[test]
fn title_is_neither_empty_nor_an_id_nor_a_server_name() {
    for name in [adder().id.as_str(), " \u{1}", "com.stripe/payments"] {
        let listing = Listing { texts: Texts { name: name.to_owned(), ..adder().texts }, ..adder() };
        assert!(rendered(&listing)["server"].get("title").is_none(), "{name}");
    }
}

fn texts() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(prop_oneof![any::<String>(), "[ -~]{0,300}", "\\PC{0,300}", "[a-z ]{90,110}"])
}

fn urls() -> impl Strategy<Value = Option<String>> {
    let like_urls =
        "(https?|ftp|javascript)://[a-z0-9.\\[\\]:@_-]{0,40}(/[ -~é]{0,40})?(\\?[ -~]{0,20})?(#[ -~]{0,20})?";
    let from_http =
        "https?://(127\\.0\\.0\\.1|\\[::1\\]|localhost|[a-zé]{1,9}\\.org)(:[0-9]{1,5})?(/[ -~]{0,40})?";
    proptest::option::of(prop_oneof![any::<String>(), like_urls, from_http])
}

proptest! {
    #[test]
    fn every_listing_matches_the_official_schema(
        name in texts(), description in texts(), server_name in texts(), version in texts(),
        url in urls(), endpoint in urls(), website in urls(),
        era in texts(), tools_hash in texts(), probed: bool, failures: u32, changed_at in proptest::option::of(-1_i64 << 40..1_i64 << 40),
        base_url in prop::sample::select(vec!["https://registry.example.com", "http://127.0.0.1:8080", "http://[::1]:1"]),
    ) {
        let probe = adder().proof.probe.filter(|_| probed);
        let name = name.unwrap_or_default();
        let Listing { texts, ownership, proof, schedule, .. } = adder();
        let listing = Listing {
            url,
            endpoint,
            texts: Texts { name, description, version, website, ..texts },
            ownership: Ownership { server_name, ..ownership },
            proof: Proof { era, tools_hash, probe, ..proof },
            schedule: Schedule { failures, ..schedule },
            ..adder()
        };
        let changed_at = changed_at.map(|millis| Moment::from_millisecond(millis).unwrap());
        let response = json!(ServerResponse::of(&listing, None, changed_at, &settings(base_url)));
        let server = &response["server"];
        let faults: Vec<String> = OFFICIAL_SCHEMA.iter_errors(server).map(|error| error.to_string()).collect();
        prop_assert!(faults.is_empty(), "{:?} in {}", faults, server);
        // The rules beyond the schema hold too, but for addresses with braces, which only a peer itself could fill in, and
        // for texts that no Live listing has: the probe checks them.
        let templated = server["remotes"][0]["url"].as_str().is_some_and(|url| url.contains('{'));
        let mut violations = server_json::parse_server_json(&response, Reach::Development).err().unwrap_or_default();
        violations.retain(|violation| !["not_plain_text", "instruction_to_models"].contains(&violation.rule));
        prop_assert!(templated || violations.is_empty(), "{:?} in {}", violations, server);
    }
}
