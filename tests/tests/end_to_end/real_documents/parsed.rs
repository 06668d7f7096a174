//! Real agent cards and server descriptions, as found in public repositories: each is taken, or refused in words.
//! The documents are others' and are not kept here; `REAL_DOCUMENTS` says where they are, else the test is skipped.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use registry::formats::agent_card::{self, AgentCard, CardFault};
use registry::formats::server_json;
use registry::model::{Facts, Handshake, Kind, Reach, TextFaults, Verdict};
use registry::probe::checks::{self, Context, documents};
use tests::fixtures;

/// Outcomes and how often they were met.
type Tally = BTreeMap<String, usize>;

/// The documents of one folder, by name; `None` where the collection is not on this machine.
fn documents(folder: &str) -> Option<Vec<(String, Vec<u8>)>> {
    let root = std::env::var_os("REAL_DOCUMENTS")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/real"), PathBuf::from);
    let path = root.join(folder);
    let Ok(entries) = fs::read_dir(&path) else {
        println!("skipped: no documents at {}; set REAL_DOCUMENTS", path.display());
        return None;
    };
    let mut documents: Vec<(String, Vec<u8>)> = entries
        .map(|entry| entry.expect("a readable folder"))
        .filter(|entry| entry.file_name() != "INDEX.json")
        .map(|entry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                fs::read(entry.path()).expect("a readable file"),
            )
        })
        .collect();
    documents.sort();
    assert!(!documents.is_empty(), "an empty folder proves nothing");
    Some(documents)
}

fn count(tally: &mut Tally, outcome: impl Into<String>) {
    *tally.entry(outcome.into()).or_default() += 1;
}

/// One line per outcome, and the same on the test's output.
fn told(title: &str, tally: &Tally) -> String {
    let mut lines = String::new();
    for (outcome, times) in tally {
        let _ = writeln!(lines, "{outcome}: {times}");
    }
    println!("{title}\n{lines}");
    lines
}

/// A card as the checks see it.
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

#[test]
fn every_agent_card_is_read_or_refused_in_words() {
    let Some(documents) = documents("agent_cards") else { return };
    let (mut outcomes, mut warnings, mut failing) = (Tally::new(), Tally::new(), Tally::new());
    for (name, body) in documents {
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
                let context = Context {
                    reach: Reach::Public,
                    card_url: None,
                    endpoint_holder: None,
                    previous_tools_hash: None,
                    listing_faults: TextFaults::default(),
                };
                let document = agent_card::document(&body).expect("a card that was read");
                let verdict = verdict_of(&card, documents::of_card(&document));
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
    insta::assert_snapshot!(told("agent cards", &outcomes), @"
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
    insta::assert_snapshot!(told("warnings of cards that were read", &warnings), @"
    binding_unknown: 5
    capabilities_malformed: 1
    interface_local: 14
    interface_not_https: 1
    interfaces_missing: 2
    modes_missing: 2
    skill_incomplete: 3
    ");
    insta::assert_snapshot!(told("checks that texts of cards fail", &failing), @"");
}

#[test]
fn every_server_description_is_taken_or_refused_in_words() {
    let Some(documents) = documents("server_json") else { return };
    let (mut outcomes, mut rules) = (Tally::new(), Tally::new());
    for (name, body) in documents {
        let document: serde_json::Value = serde_json::from_slice(&body).expect("the collection holds JSON");
        assert!(server_json::looks_like(document.as_object().expect("an object")), "{name}");
        let began = Instant::now();
        let read = server_json::read(&document, Reach::Public);
        assert!(began.elapsed() < Duration::from_secs(10), "{name} took {:?}", began.elapsed());
        match read {
            Ok(server) => {
                let asked = server
                    .remotes
                    .iter()
                    .filter(|remote| !remote.templated && remote.secret_headers.is_empty());
                let outcome = match (asked.count(), server.remotes.len(), server.packages) {
                    (0, 0, 0) => "taken, nothing to ask or run",
                    (0, 0, _) => "taken, packages only",
                    (0, _, _) => "taken, no remote can be probed",
                    _ => "taken, to be probed",
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
                count(&mut outcomes, if older { "refused, of an older schema" } else { "refused" });
                for violation in &violations {
                    if !older {
                        println!("{name}: {}: {}", violation.path, violation.message);
                    }
                    count(&mut rules, violation.rule);
                }
            }
        }
    }
    insta::assert_snapshot!(told("server descriptions", &outcomes), @"
    refused: 3
    refused, of an older schema: 116
    taken, no remote can be probed: 23
    taken, nothing to ask or run: 2
    taken, packages only: 86
    taken, to be probed: 20
    ");
    insta::assert_snapshot!(told("rules that refused ones break", &rules), @"
    invalid-server-name: 1
    mcpb-file-sha256-required: 1
    older-schema: 561
    schema: 180
    ");
}
