//! Publishes agent cards and `server.json` documents from public repositories (a sample, in `tests/harness/fixtures/real`).
//! Each document is listed, or refused with the name of the wrong field. A loopback peer serves the cards and answers the
//! probes. All interface URLs are changed to that peer, so that no other host gets a request.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use axum::response::IntoResponse as _;
use http::header;
use tests::peers::error;
use tests::prelude::*;

/// The documents of one folder of the sample, by file name.
fn documents(folder: &str) -> BTreeMap<String, Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("harness/fixtures/real").join(folder);
    let entries = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let files = entries.map(|entry| entry.unwrap()).filter(|entry| entry.file_name() != "INDEX.json");
    let documents: BTreeMap<String, Vec<u8>> = files
        .map(|file| (file.file_name().to_string_lossy().into_owned(), fs::read(file.path()).unwrap()))
        .collect();
    assert!(!documents.is_empty(), "{} contains no documents", path.display());
    documents
}

/// How often each outcome occurred, for a snapshot.
fn counts(outcomes: &[String]) -> String {
    let mut counts = BTreeMap::<&String, usize>::new();
    for outcome in outcomes {
        *counts.entry(outcome).or_default() += 1;
    }
    counts.iter().map(|(outcome, times)| format!("{outcome}: {times}\n")).collect()
}

#[tokio::test]
async fn sample_server_json_is_listed_or_refused_with_the_invalid_field() {
    let registry = TestRegistry::start().await;
    let mut outcomes = Vec::new();
    for (name, document) in documents("server_json") {
        let reply = registry.post_raw("/api/publish", Some("application/json"), document).await;
        outcomes.push(match reply.status {
            200 => format!("200 {}", reply.body["status"].as_str().unwrap()),
            status => {
                reply.assert_problem();
                assert!((400..500).contains(&status), "{name}: {reply:?}");
                assert!(!reply.body["field"].as_str().unwrap_or_default().is_empty(), "{name}: {reply:?}");
                let violations = reply.body["violations"].as_array().unwrap();
                assert!(!violations.is_empty(), "{name}");
                for violation in violations {
                    let words = violation["message"].as_str().unwrap_or_default();
                    assert!(words.len() > 15, "{name}: {violation}");
                }
                format!("{status} {}", reply.body["code"].as_str().unwrap())
            }
        });
    }
    // No probes run, because they would send requests to the hosts in the documents.
    assert_eq!(registry.probe_statistics().await["used"], 0);
    insta::assert_snapshot!(counts(&outcomes), @"
    200 queued: 9
    422 invalid_server_description: 1
    ");
}

/// The card with its interfaces at `origin`, below a folder of its own.
fn moved_interfaces(mut card: Value, origin: &str, folder: usize) -> Value {
    let move_url = |object: &mut Value| {
        if let Some(url) = object.get_mut("url")
            && url.as_str().is_some_and(|url| url.contains("://"))
        {
            *url = json!(format!("{origin}/{folder}/rpc"));
        }
    };
    for list in ["supportedInterfaces", "additionalInterfaces", "interfaces"] {
        card.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().for_each(move_url);
    }
    move_url(&mut card);
    card
}

/// An agent for every dialect of A2A over JSON-RPC.
fn answer_any_dialect(request: &PeerRequest) -> axum::response::Response {
    match request.method() {
        Some("GetTask" | "SendMessage") => agents::speaks_newest(request),
        Some("tasks/get" | "message/send") => agents::speaks_older(request),
        _ => error(request, -32601, "Method not found"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sample_cards_go_live_or_get_a_reason() {
    let documents = documents("agent_cards");
    let cards: Vec<Vec<u8>> = documents.values().cloned().collect();
    let peer = Peer::start(move |request| {
        let folder = request.path.strip_suffix("/agent-card.json");
        let folder = folder.and_then(|folder| folder[1..].parse::<usize>().ok());
        match folder.and_then(|folder| Some((folder, cards.get(folder)?))) {
            Some((folder, document)) => {
                // A document that is not JSON is served unchanged.
                let card = serde_json::from_slice::<Value>(document).map_or_else(
                    |_| document.clone(),
                    |card| moved_interfaces(card, &request.origin(), folder).to_string().into(),
                );
                ([(header::CONTENT_TYPE, "application/json")], card).into_response()
            }
            None if request.verb == "POST" => answer_any_dialect(request),
            None => empty(404),
        }
    })
    .await;

    let registry = TestRegistry::start_for_fleet().await;
    let mut ids = Vec::new();
    for (folder, name) in documents.keys().enumerate() {
        let body = json!({ "agent_card_url": peer.url(&format!("/{folder}/agent-card.json")) });
        ids.push((name, id_of(&registry.publish(&body).await)));
    }
    registry.tick().await;
    let mut outcomes = Vec::new();
    for (name, id) in ids {
        let status = registry.status(&id).await;
        outcomes.push(match status["lane"].as_str().unwrap() {
            "active" => "active".to_owned(),
            lane => {
                let reasons = status["reasons"].as_array().unwrap();
                assert!(!reasons.is_empty(), "{name}: {status}");
                for reason in reasons {
                    assert!(reason["fix"].as_str().is_some_and(|fix| fix.len() > 15), "{name}: {reason}");
                }
                format!("{lane} ({})", registry.reason_codes(&id).await.join(" "))
            }
        });
    }
    insta::assert_snapshot!(counts(&outcomes), @"
    active: 6
    needs_fix (interface_url_missing no_interface): 1
    needs_fix (no_interface): 1
    needs_fix (not_a_card): 2
    ");
}
