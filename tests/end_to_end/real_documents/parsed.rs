//! Parses real agent cards and `server.json` documents. Each document is accepted, or refused with a reason.

use std::path::Path;
use std::time::{Duration, Instant};

use registry::formats::agent_card::{self, AgentCard, CardFault};
use registry::formats::{document_texts, server_json};
use registry::model::{Facts, Handshake, Kind, Reach, TextFaults, Verdict};
use registry::probe::checks::{self, Context};
use tests::fixtures;

use super::{Tally, collection, documents, sample, tally_text};

fn count(tally: &mut Tally, outcome: impl Into<String>) {
    *tally.entry(outcome.into()).or_default() += 1;
}

/// The verdict on a card for the checks.
fn verdict_of(card: &AgentCard, text_faults: TextFaults) -> Verdict {
    let facts = Facts {
        kind: Some(Kind::Agent),
        name: Some(card.name.clone()),
        description: Some(card.description.clone()),
        version: card.version.clone(),
        skills: card.skills.clone(),
        text_faults,
        ..Facts::default()
    };
    fixtures::verdict(Handshake::Ok, facts)
}

/// Reads all cards of a folder. Returns the outcomes, the warnings and the failing checks.
fn read_cards(root: &Path) -> [Tally; 3] {
    let (mut outcomes, mut warnings, mut failing) = (Tally::new(), Tally::new(), Tally::new());
    for (name, body) in documents(root, "agent_cards") {
        let began = Instant::now();
        let read = agent_card::read_body(&body);
        assert!(began.elapsed() < Duration::from_secs(10), "{name} took {:?}", began.elapsed());
        match read {
            Ok(card) => {
                assert!(!card.name.is_empty() && !card.interfaces.is_empty(), "{name}");
                let dialects: Vec<&str> = card.dialects.iter().map(|dialect| dialect.as_str()).collect();
                count(&mut outcomes, format!("read, speaks {}", dialects.join(" and ")));
                for warning in &card.warnings {
                    assert!(!warning.fix.is_empty() && !warning.seen.is_empty(), "{name}: {warning:?}");
                    count(&mut warnings, warning.code);
                }
                let context =
                    Context { reach: Reach::Public, card_url: None, endpoint_holder: None, listing: None };
                let document = agent_card::document(&body).unwrap();
                let verdict = verdict_of(&card, document_texts::of_card(&document));
                for check in checks::of(&verdict, &context).into_iter().filter(|check| !check.ok) {
                    println!("{name}: {}: {}", check.id, check.detail);
                    count(&mut failing, check.id);
                }
            }
            Err(CardFault::Invalid(findings)) => {
                assert!(!findings.is_empty(), "{name}");
                assert!(findings.iter().all(|finding| !finding.fix.is_empty()), "{name}: {findings:?}");
                let codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
                count(&mut outcomes, format!("invalid ({})", codes.join(", ")));
            }
            Err(CardFault::NotACard { seen }) => {
                assert!(!seen.is_empty(), "{name}");
                count(&mut outcomes, format!("not a card, but {seen}"));
            }
        }
    }
    [outcomes, warnings, failing]
}

#[test]
fn sample_cards_are_read_or_refused_with_a_fix() {
    let [outcomes, _, failing] = read_cards(&sample());
    insta::assert_snapshot!(tally_text("agent cards", &outcomes), @"
    invalid (interface_url_missing, no_interface): 1
    invalid (no_interface): 1
    not a card, but an entry of the Agent Client Protocol's registry: 1
    not a card, but an object with id, name, description, owner, ens, version: 1
    read, speaks 0.2: 3
    read, speaks 0.3: 2
    read, speaks 1.0 and 0.3: 1
    ");
    insta::assert_snapshot!(tally_text("checks that texts of cards fail", &failing), @"");
}

#[test]
#[ignore = "needs the collection in REAL_DOCUMENTS"]
fn collected_cards_are_read_or_refused_with_a_fix() {
    let [outcomes, warnings, failing] = read_cards(&collection());
    insta::assert_snapshot!(tally_text("agent cards", &outcomes), @"
    invalid (interface_url_missing, no_interface): 2
    invalid (no_interface): 1
    not a card, but an AI catalogue; publish the address of one card in it: 1
    not a card, but an OASF record; the card is inside it, under modules[].data.card_data: 2
    not a card, but an entry of the Agent Client Protocol's registry: 3
    not a card, but an object with id, name, description, owner, ens, version: 5
    read, speaks 0.2: 19
    read, speaks 0.3: 64
    read, speaks 1.0: 2
    read, speaks 1.0 and 0.3: 1
    ");
    insta::assert_snapshot!(tally_text("warnings of cards that were read", &warnings), @"
    binding_unknown: 5
    capabilities_malformed: 1
    interface_local: 14
    interface_not_https: 1
    interfaces_missing: 2
    modes_missing: 2
    skill_incomplete: 3
    ");
    insta::assert_snapshot!(tally_text("checks that texts of cards fail", &failing), @"");
}

/// Reads all `server.json` documents of a folder. Returns the outcomes and the violated rules.
fn read_server_json(root: &Path) -> [Tally; 2] {
    let (mut outcomes, mut rules) = (Tally::new(), Tally::new());
    for (name, body) in documents(root, "server_json") {
        let document: serde_json::Value = serde_json::from_slice(&body).expect("a JSON document");
        assert!(server_json::looks_like(document.as_object().expect("an object")), "{name}");
        let began = Instant::now();
        let read = server_json::read(&document, Reach::Public);
        assert!(began.elapsed() < Duration::from_secs(10), "{name} took {:?}", began.elapsed());
        match read {
            Ok(server) => {
                let probeable = server
                    .remotes
                    .iter()
                    .filter(|remote| !remote.templated && remote.secret_headers.is_empty());
                let outcome = match (probeable.count(), server.remotes.len(), server.packages) {
                    (0, 0, 0) => "accepted, no remotes or packages",
                    (0, 0, _) => "accepted, packages only",
                    (0, _, _) => "accepted, no remote can be probed",
                    _ => "accepted, can be probed",
                };
                count(&mut outcomes, outcome);
            }
            Err(violations) => {
                assert!(!violations.is_empty(), "{name}");
                assert!(
                    violations.iter().all(|violation| !violation.message.is_empty()),
                    "{name}: {violations:?}"
                );
                let older = violations.iter().any(|violation| violation.rule == "older-schema");
                count(&mut outcomes, if older { "refused, older schema" } else { "refused" });
                for violation in &violations {
                    if !older {
                        println!("{name}: {}: {}", violation.path, violation.message);
                    }
                    count(&mut rules, violation.rule);
                }
            }
        }
    }
    [outcomes, rules]
}

#[test]
fn sample_server_json_is_accepted_or_refused_with_a_rule() {
    let [outcomes, rules] = read_server_json(&sample());
    insta::assert_snapshot!(tally_text("server.json documents", &outcomes), @"
    accepted, can be probed: 2
    accepted, no remote can be probed: 1
    accepted, no remotes or packages: 1
    accepted, packages only: 5
    refused: 1
    ");
    assert!(rules.contains_key("invalid-server-name"), "{rules:?}");
}

#[test]
#[ignore = "needs the collection in REAL_DOCUMENTS"]
fn collected_server_json_is_accepted_or_refused_with_a_rule() {
    let [outcomes, rules] = read_server_json(&collection());
    insta::assert_snapshot!(tally_text("server.json documents", &outcomes), @"
    accepted, can be probed: 20
    accepted, no remote can be probed: 23
    accepted, no remotes or packages: 2
    accepted, packages only: 86
    refused: 3
    refused, older schema: 116
    ");
    insta::assert_snapshot!(tally_text("violated rules", &rules), @"
    invalid-server-name: 1
    mcpb-file-sha256-required: 1
    older-schema: 561
    schema: 180
    ");
}
