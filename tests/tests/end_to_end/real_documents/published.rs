//! Real agent cards and server descriptions, as found in public repositories, taken the whole way: each is published,
//! and cards are served by a loopback peer and probed. The interfaces they name are moved to that peer, so that no
//! stranger is asked. `REAL_DOCUMENTS` says where the documents are, else the tests are skipped.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Bytes;
use axum::response::IntoResponse as _;
use http::header;
use serde_json::{Value, json};
use tests::peers::{Peer, PeerRequest, agents, empty, error};
use tests::test_registry::{TestOptions, TestRegistry, id_of};

/// The documents of one folder, by name; `None` where the collection is not on this machine.
fn documents(folder: &str) -> Option<BTreeMap<String, Vec<u8>>> {
    let root = std::env::var_os("REAL_DOCUMENTS")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/real"), PathBuf::from);
    let Ok(entries) = fs::read_dir(root.join(folder)) else {
        println!("skipped: no documents at {}; set REAL_DOCUMENTS", root.join(folder).display());
        return None;
    };
    let files = entries.map(|entry| entry.unwrap()).filter(|entry| entry.file_name() != "INDEX.json");
    Some(
        files
            .map(|file| (file.file_name().to_string_lossy().into_owned(), fs::read(file.path()).unwrap()))
            .collect(),
    )
}

fn told(tally: &BTreeMap<String, usize>) -> String {
    let mut lines = String::new();
    for (outcome, times) in tally {
        let _ = writeln!(lines, "{outcome}: {times}");
    }
    println!("{lines}");
    lines
}

#[tokio::test]
async fn every_server_description_is_listed_or_refused_by_field() {
    let Some(documents) = documents("server_json") else { return };
    let registry = TestRegistry::start().await;
    let mut tally = BTreeMap::new();
    for (name, document) in documents {
        let reply = registry.post_raw("/api/publish", Some("application/json"), document).await;
        let outcome = match reply.status {
            200 => format!("200 {}", reply.body["status"].as_str().unwrap()),
            status => {
                reply.assert_problem();
                assert!((400..500).contains(&status), "{name}: {reply:?}");
                assert!(
                    reply.body["field"].as_str().is_some_and(|field| !field.is_empty()),
                    "{name}: {reply:?}"
                );
                let violations = reply.body["violations"].as_array().unwrap();
                assert!(!violations.is_empty(), "{name}");
                for violation in violations {
                    assert!(
                        violation["message"].as_str().is_some_and(|words| words.len() > 15),
                        "{name}: {violation}"
                    );
                }
                format!("{status} {}", reply.body["code"].as_str().unwrap())
            }
        };
        *tally.entry(outcome).or_default() += 1;
    }
    insta::assert_snapshot!(told(&tally), @"
    200 duplicate: 51
    200 queued: 80
    422 invalid_server_description: 119
    ");
    // Their probes are not started: they would ask strangers.
    assert_eq!(registry.probe_statistics().await["used"], 0);
}

/// A card whose interfaces stand at `origin`, each below the card's own folder, and nothing else changed.
fn moved(card: &mut Value, origin: &str, folder: usize) {
    let move_url = |holder: &mut Value| {
        if let Some(url) = holder.get_mut("url")
            && url.as_str().is_some_and(|url| url.contains("://"))
        {
            *url = json!(format!("{origin}/{folder}/rpc"));
        }
    };
    for list in ["supportedInterfaces", "additionalInterfaces", "interfaces"] {
        card.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().for_each(move_url);
    }
    move_url(card);
}

/// An agent that speaks every dialect of A2A over JSON-RPC.
fn polyglot(asked: &PeerRequest) -> axum::response::Response {
    match asked.method() {
        Some("GetTask" | "SendMessage") => agents::speaks_newest(asked),
        Some("tasks/get" | "message/send") => agents::speaks_older(asked),
        _ => error(asked, -32601, "Method not found"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_agent_card_goes_live_or_is_told_what_is_wrong_with_it() {
    let Some(documents) = documents("agent_cards") else { return };
    let peer = Peer::start(agents::only(404)).await;
    let mut bodies: Vec<Bytes> = Vec::new();
    for (folder, document) in documents.values().enumerate() {
        // What is no JSON is served as it was found.
        bodies.push(match serde_json::from_slice::<Value>(document) {
            Ok(mut card) => {
                moved(&mut card, &peer.origin, folder);
                card.to_string().into()
            }
            Err(_) => document.clone().into(),
        });
    }
    let bodies = Arc::new(bodies);
    peer.answer_with(move |asked| {
        let card =
            asked.path.strip_suffix("/agent-card.json").and_then(|folder| folder[1..].parse::<usize>().ok());
        match (asked.verb.as_str(), card.and_then(|card| bodies.get(card))) {
            ("GET", Some(body)) => {
                ([(header::CONTENT_TYPE, "application/json")], body.clone()).into_response()
            }
            ("POST", _) => polyglot(asked),
            _ => empty(404),
        }
    });

    let options = TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000);
    let registry = TestRegistry::start_with(options).await;
    let mut ids = Vec::new();
    for (folder, name) in documents.keys().enumerate() {
        let body = json!({ "agent_card_url": peer.url(&format!("/{folder}/agent-card.json")) });
        ids.push((name, id_of(&registry.publish(&body).await)));
    }
    registry.tick().await;
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    for (name, id) in ids {
        let status = registry.status(&id).await;
        let outcome = match status["lane"].as_str().unwrap() {
            "active" => "active".to_owned(),
            lane => {
                let reasons = status["reasons"].as_array().unwrap();
                assert!(!reasons.is_empty(), "{name}: {status}");
                for reason in reasons {
                    assert!(reason["fix"].as_str().is_some_and(|fix| fix.len() > 15), "{name}: {reason}");
                    println!("{name}: {}: {}", reason["code"], reason["seen"]);
                }
                format!("{lane} ({})", registry.reason_codes(&id).await.join(" "))
            }
        };
        *tally.entry(outcome).or_default() += 1;
    }
    insta::assert_snapshot!(told(&tally), @"
    active: 81
    needs_fix (interface_url_missing no_interface): 2
    needs_fix (no_interface): 1
    needs_fix (not_a2a binding_unknown interface_local interfaces_missing): 1
    needs_fix (not_a2a binding_unknown interface_local): 4
    needs_fix (not_a_card): 11
    ");
}
