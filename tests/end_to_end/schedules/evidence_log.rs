//! Tests the evidence log. Each decision is one leaf with a proof that can be verified. If the table has
//! faults, no leaf is lost or repeated.

use aws_sdk_dynamodb::types::AttributeValue;
use registry::model::{LogEntry, LogEvent, Moment};
use signed_note::Note;
use tests::prelude::*;
use tlog_tiles::{Checkpoint, Hash, check_record, record_hash};

use super::evidence_log_keys::verifies;
use crate::fixtures::live_agent;

pub(super) async fn checkpoint(registry: &TestRegistry) -> String {
    registry.text("/log/checkpoint").await
}

fn parsed_hashes(hashes: &Value) -> Vec<Hash> {
    hashes.as_array().unwrap().iter().map(|hash| Hash::parse_hash(hash.as_str().unwrap()).unwrap()).collect()
}

/// Gets the proof of a leaf and verifies it with the key of the log.
pub(crate) async fn verified_proof(registry: &TestRegistry, query: &str) -> Value {
    let proof = registry.get(&format!("/log/proof?{query}")).await.ok();
    let (log, signed) = (registry.get("/log").await.body, proof["checkpoint"].as_str().unwrap());
    assert!(verifies(signed, log["vkey"].as_str().unwrap()), "{proof}");
    let note = Note::from_bytes(signed.as_bytes()).unwrap();
    let checkpoint = Checkpoint::from_bytes(note.text()).unwrap();
    assert_eq!(json!(checkpoint.size()), proof["tree_size"]);
    let hashes = parsed_hashes(&proof["proof"]);
    let leaf = record_hash(proof["leaf_text"].as_str().unwrap().as_bytes());
    let index = proof["leaf_index"].as_u64().unwrap();
    check_record(&hashes, checkpoint.size(), *checkpoint.hash(), index, leaf).unwrap();
    let text = proof["tlog_proof"].as_str().unwrap();
    assert!(text.starts_with(&format!("c2sp.org/tlog-proof@v1\nindex {index}\n")), "{text}");
    assert!(text.ends_with(signed), "{text}");
    proof
}

/// All leaves of the log, each with a verified proof.
pub(crate) async fn leaves(registry: &TestRegistry) -> Vec<Value> {
    let size = registry.get("/log").await.body["tree_size"].as_u64().unwrap();
    let mut leaves = Vec::new();
    for index in 0..size {
        leaves.push(verified_proof(registry, &format!("index={index}")).await["leaf"].clone());
    }
    leaves
}

pub(super) fn events_of(leaves: &[Value], id: &ListingId) -> Vec<String> {
    let of_listing = leaves.iter().filter(|leaf| leaf["listing_id"] == json!(id));
    of_listing.map(|leaf| leaf["event"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn page_links_to_a_proof_only_of_a_leaf_in_the_log() {
    let (registry, _peer, id) = live_agent().await;
    registry::probe::withdrawal::end_live_to_move(&registry.app, &id).await.unwrap();
    let page = async || registry.text(&format!("/list/{id}")).await;
    let waits = page().await;
    assert!(waits.contains("not yet in the log") && !waits.contains("/log/proof?"), "{waits}");
    registry.tick_after(TICK).await;
    let proven = page().await;
    assert!(proven.contains("proof of inclusion") && !proven.contains("not yet in the log"), "{proven}");
}

#[tokio::test]
async fn every_decision_is_a_leaf_of_the_evidence_log_with_a_proof() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    assert_eq!(registry.get("/log/checkpoint").await.status, 404, "an empty log has no checkpoint");
    let id = registry.live_card(&peer.card()).await;
    let log = registry.status(&id).await["log"].clone();
    assert_members(&log, &json!({ "event": "live", "leaf_index": 0, "pending": false }));
    let proof = verified_proof(&registry, &format!("listing_id={id}&at=2026-11-20")).await;
    assert_eq!((&proof["leaf"]["event"], &proof["leaf"]["outcome"]), (&json!("live"), &json!("ok")));
    assert_eq!(log["entry_url"], proof["entry_url"]);
    let before = registry.get(&format!("/log/proof?listing_id={id}&at=2026-11-19")).await;
    before.assert_refused(404, "no_leaf");
    assert!(before.body["detail"].as_str().unwrap().contains("only later ones"), "{before:?}");
    let unsigned = registry.get(&format!("/log/proof?listing_id={id}&attestation_id=att_0")).await;
    assert!(unsigned.body["detail"].as_str().unwrap().contains("No unexpired statement"), "{unsigned:?}");
    let unlisted = registry.get("/log/proof?listing_id=agtpub_00000000000000000000").await;
    unlisted.assert_refused(404, "listing_not_found");

    registry.recheck_after(DAY * 6 + HOUR * 12).await;
    peer.answer_with(agents::only(404));
    for _ in 0..3 {
        registry.recheck_after(DAY * 7).await;
    }
    assert_eq!(registry.lane(&id).await, "demoted");
    registry.advance(HOUR);
    registry.withdraw(&id, "Its owner wished it.").await;
    let log = registry.status(&id).await["log"].clone();
    assert_members(&log, &json!({ "event": "withdrawn", "pending": true, "leaf_index": null }));
    for query in [proof_query(&registry, &json!({ "log": log })), format!("listing_id={id}")] {
        registry.get(&format!("/log/proof?{query}")).await.assert_refused(409, "leaf_pending");
    }
    registry.tick().await;
    assert_eq!(registry.status(&id).await["log"]["pending"], false);

    let leaves = leaves(&registry).await;
    let mut events = events_of(&leaves, &id);
    let ended = events.iter().position(|event| event == "ended").unwrap();
    events.remove(ended);
    let decided = ["live", "confirmed", "demoted", "withdrawn"];
    assert_eq!(events, decided, "the week ended once before the failure was confirmed");
    let text = json!(leaves).to_string();
    for words in ["wished", "http", "127.0.0.1", "Adder"] {
        assert!(!text.contains(words), "{words}: {text}");
    }
    // Old proofs stay valid: the day on which the listing was Live still has the same leaf.
    let again = verified_proof(&registry, &format!("listing_id={id}&at=2026-11-20")).await;
    assert_eq!((&again["leaf_text"], &again["leaf_index"]), (&proof["leaf_text"], &proof["leaf_index"]));
    assert_ne!(again["root_hash"], proof["root_hash"]);
}

#[tokio::test]
async fn leaf_of_a_listing_of_unknown_kind_names_no_kind() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::only(503)).await);
    let published = registry.publish(&json!({ "url": peer.url("/") })).await;
    assert_eq!(published["kind"], Value::Null, "{published}");
    let id: ListingId = published["listing_id"].as_str().unwrap().parse().unwrap();
    registry.withdraw(&id, "Test.").await;
    registry.tick().await;
    let leaf = verified_proof(&registry, &format!("listing_id={id}")).await["leaf"].clone();
    assert_eq!((&leaf["event"], leaf.get("kind")), (&json!("withdrawn"), None), "{leaf}");
}

/// The path of the proof of an attestation.
fn proof_query(registry: &TestRegistry, answer: &Value) -> String {
    let url = answer["log"]["proof_url"].as_str().unwrap().to_owned();
    url.strip_prefix(&registry.url("/log/proof?")).unwrap().to_owned()
}

/// Verifies that the leaf of a proof commits to a token.
fn assert_commits_to(proof: &Value, jws: &str) {
    let attestation = &proof["attestation"];
    let digest = registry::model::sha256_hex(jws);
    assert_eq!(attestation["jws_sha256"], digest, "{proof}");
    let hashes = parsed_hashes(&attestation["proof"]);
    let root = proof["leaf"]["evidence"].as_str().unwrap();
    let root: Vec<u8> =
        (0..64).step_by(2).map(|at| u8::from_str_radix(&root[at..at + 2], 16).unwrap()).collect();
    let (size, index) = (attestation["tree_size"].as_u64().unwrap(), attestation["index"].as_u64().unwrap());
    assert_eq!(proof["leaf"]["attestations"], json!(size));
    let root = Hash(root.try_into().unwrap());
    check_record(&hashes, size, root, index, record_hash(digest.as_bytes())).unwrap();
}

#[tokio::test]
async fn one_leaf_commits_to_all_attestations_of_an_hour() {
    const ISSUED: usize = 7;
    let (registry, _peer, id) = live_agent().await;
    registry.tick().await;
    let size = async || registry.get("/log").await.body["tree_size"].as_u64().unwrap();
    let before = size().await;
    let attest = json!({ "listing_id": id, "type": "liveness" });
    let mut issued = Vec::new();
    // All have the same time.
    for _ in 0..ISSUED {
        issued.push(registry.call_tool("attest", &attest).await);
    }
    registry.tick_after(TICK).await;
    assert_eq!(size().await, before, "the hour has not ended");
    let pending = registry.get(&format!("/log/proof?{}", proof_query(&registry, &issued[0]))).await;
    assert_eq!((pending.status, &pending.body["code"]), (409, &json!("leaf_pending")), "{}", pending.body);
    // 53 minutes and 59 seconds of the hour are left, and one tick.
    assert_eq!(pending.header("retry-after"), (3600 - 361 + 360).to_string(), "{}", pending.body);

    registry.tick_after(HOUR).await;
    registry.tick().await;
    assert_eq!(size().await, before + 1, "one leaf for the hour");
    for answer in &issued {
        assert_eq!(answer["log"]["pending"], true, "{answer}");
        let proof = verified_proof(&registry, &proof_query(&registry, answer)).await;
        let leaf = &proof["leaf"];
        assert_eq!((&leaf["event"], &leaf["attestations"]), (&json!("attestations"), &json!(ISSUED)));
        assert!(leaf.get("listing_id").is_none(), "{leaf}");
        let jws = answer["attestation"]["jws"].as_str().unwrap();
        assert_commits_to(&proof, jws);
        let verified = registry.call_tool("verify_attestation", &json!({ "jws": jws })).await;
        assert_eq!((&verified["valid"], &verified["log"]["pending"]), (&json!(true), &json!(false)));
        assert_eq!(verified_proof(&registry, &proof_query(&registry, &verified)).await["leaf"], *leaf);
    }
    assert_eq!(registry.status(&id).await["log"]["event"], "live", "an attestation is no decision");
    // A process that stopped before it deleted its notes, or two processes: nothing is logged twice.
    let note = registry::model::sha256_hex(issued[0]["attestation"]["jws"].as_str().unwrap());
    let at = registry.now().as_millisecond() - 5_000_000;
    let sort_key = format!("{at:013}#{}", issued[0]["attestation"]["id"].as_str().unwrap());
    registry.overwrite("LOG#ATTESTED", &sort_key, "digest", AttributeValue::S(note)).await;
    registry.tick().await;
    assert_eq!(size().await, before + 1, "an attestation was logged twice");
    assert_eq!(registry.table().await.items_under("LOG#ATTESTED").len(), 0);
}

/// A row that older versions wrote for one attestation.
pub(crate) async fn add_attestation_leaf(
    registry: &TestRegistry,
    id: &ListingId,
    at: Moment,
    attestation_id: &str,
    jws: &str,
) {
    let mut leaf = LogEntry::new(at, id, Kind::Agent, LogEvent::Attested);
    leaf.attestation_id = Some(attestation_id.to_owned());
    leaf.evidence = Some(registry::model::sha256_hex(jws));
    let text = leaf.canonical().unwrap();
    let sort_key = format!("{:013}#{}", at.as_millisecond(), &registry::model::sha256_hex(&text)[..20]);
    registry.overwrite("LOG#PENDING", &sort_key, "leaf", AttributeValue::S(text)).await;
}

#[tokio::test]
async fn attestations_do_not_hide_the_last_decision() {
    let (registry, peer, id) = live_agent().await;
    let mut days = Vec::new();
    let step = async |event: &str| {
        registry.advance(std::time::Duration::from_secs(2));
        // After a withdrawal, a new attestation is refused.
        let attest = json!({ "action": "attest", "listing_id": id });
        registry.post("/api/products/first-principles", &attest).await;
        let attestation_id = "att_0123456789ab0123456789ab";
        add_attestation_leaf(&registry, &id, registry.now(), attestation_id, "a token").await;
        registry.tick_after(HOUR).await;
        for query in [format!("listing_id={id}"), format!("listing_id={id}&at={}", registry.now())] {
            assert_eq!(verified_proof(&registry, &query).await["leaf"]["event"], event, "{query}");
        }
        registry.now()
    };
    days.push(("live", step("live").await));
    registry.recheck_after(DAY * 6 + HOUR * 12).await;
    days.push(("confirmed", step("confirmed").await));
    peer.answer_with(agents::only(404));
    registry.recheck_after(DAY * 7 + HOUR).await;
    days.push(("ended", step("ended").await));
    for _ in 0..3 {
        registry.recheck_after(HOUR * 2).await;
    }
    assert_eq!(registry.lane(&id).await, "demoted");
    days.push(("demoted", step("demoted").await));
    registry.advance(std::time::Duration::from_secs(1));
    registry.withdraw(&id, "Spam.").await;
    days.push(("withdrawn", step("withdrawn").await));
    for (event, at) in days {
        let proof = verified_proof(&registry, &format!("listing_id={id}&at={at}")).await;
        assert_eq!(proof["leaf"]["event"], event, "{at}");
    }
}

#[tokio::test]
async fn unreadable_leaf_is_set_aside_and_the_log_continues() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    let first = registry.live_card(&peer.url("/1/card.json")).await;
    let put = async |sort_key: &str, leaf: &str| {
        registry.overwrite("LOG#PENDING", sort_key, "leaf", AttributeValue::S(leaf.to_owned())).await;
    };
    // More than one transaction appends, and before all others.
    for number in 0..40 {
        put(&format!("{number:013}#x"), "{").await;
    }
    let leaf = LogEntry::new(registry.now(), &first, Kind::Agent, LogEvent::Withdrawn).canonical().unwrap();
    put("0000000000999#anotherkey", &leaf).await;
    let id = registry.live_card(&peer.url("/2/card.json")).await;
    let report = registry.tick_after(TICK).await;
    assert_eq!(report["metrics"]["UnreadableLeaves"], 41, "{report}");
    assert_eq!(registry.status(&id).await["log"]["pending"], false);
    assert_eq!(events_of(&leaves(&registry).await, &id), ["live"]);
    let table = registry.table().await;
    let aside = table.items_under("LOG#UNREADABLE");
    assert_eq!((aside.len(), table.items_under("LOG#PENDING").len()), (41, 0));
    assert!(aside.iter().any(|item| item["leaf"] == json!(leaf)), "{aside:?}");
}

#[tokio::test]
async fn tiles_are_served_up_to_the_tree_size() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    for folder in 0..3 {
        registry.live_card(&peer.url(&format!("/{folder}/card.json"))).await;
        registry.advance(TICK);
    }
    registry.tick().await;
    let checkpoint = registry.get("/log/checkpoint").await;
    assert_eq!(checkpoint.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(checkpoint.header("cache-control"), "no-cache");
    assert_eq!(checkpoint.body.as_str().unwrap().lines().nth(1), Some("3"));
    for width in 1..=3_usize {
        let tile = registry.get(&format!("/log/tile/0/000.p/{width}")).await;
        assert_eq!((tile.status, tile.header("content-length")), (200, (width * 32).to_string().as_str()));
        assert_eq!(tile.header("content-type"), "application/octet-stream");
        assert!(tile.header("cache-control").contains("max-age=31536000"), "{tile:?}");
        assert_eq!(registry.get(&format!("/log/tile/entries/000.p/{width}")).await.status, 200);
    }
    let beyond = "0/000.p/4 0/000 1/000.p/1 0/001.p/1 entries/000 entries/x001/000.p/1 64/000.p/1 0/0 ..%2f";
    for beyond in beyond.split(' ') {
        registry.get(&format!("/log/tile/{beyond}")).await.assert_refused(404, "no_such_tile");
    }
}

/// Covers every operation of the sequencer with every fault. After the next tick the log contains each leaf once.
#[tokio::test(flavor = "multi_thread")]
async fn table_faults_neither_lose_nor_repeat_leaves() {
    let faults =
        [Fault::Throttle, Fault::TransactionConflict, Fault::ServiceError, Fault::Timeout, Fault::AnswerLost];
    for fault in faults {
        for operation in ["Query", "GetItem", "PutItem", "TransactWriteItems"] {
            let is_single = operation != "TransactWriteItems" && fault == Fault::TransactionConflict;
            let reads = matches!(operation, "Query" | "GetItem") && fault == Fault::AnswerLost;
            if is_single || reads {
                continue;
            }
            for times in [1, 100] {
                let what = format!("{fault:?} at {operation}, {times} times");
                let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
                let ids = registry.publish_fleet(&peer, 0..3).await;
                // These probes run within one turn of the sequencer, so that some leaves stay pending.
                registry.deliver_events().await;
                let sequence = registry::log::sequence(&registry.app);
                let _done = registry.with_fault(operation, fault, times, sequence).await;
                registry.tick_after(TICK).await;
                let leaves = leaves(&registry).await;
                for id in &ids {
                    assert_eq!(events_of(&leaves, id), ["live"], "{what}");
                    assert_eq!(registry.status(id).await["log"]["pending"], false, "{what}");
                }
                assert_eq!(leaves.len(), 3, "{what}");
            }
        }
    }
}
