use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::json;
use signed_note::key_id;
use tlog_tiles::node_hash;

use super::*;

/// A log of three leaves, signed with a key of the test; the proof is for the leaf at `index`.
fn answer(index: usize) -> (Value, String) {
    let texts = ["a", "b", "c"].map(|id| json!({ "listing_id": id, "event": "live" }).to_string());
    let leaves = texts.each_ref().map(|text| record_hash(text.as_bytes()));
    let left = node_hash(leaves[0], leaves[1]);
    let root = node_hash(left, leaves[2]);
    let proof = [vec![leaves[1], leaves[2]], vec![leaves[0], leaves[2]], vec![left]];
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    let key = [&[1], pair.public_key().as_ref()].concat();
    let text = format!("log.example\n3\n{}\n", STANDARD.encode(root.0));
    let key_hash = key_id("log.example", &key);
    let signature = [&key_hash.to_be_bytes(), pair.sign(text.as_bytes()).as_ref()].concat();
    let checkpoint = format!("{text}\n\u{2014} log.example {}\n", STANDARD.encode(signature));
    let answer = json!({
        "leaf_text": texts[index], "leaf": { "listing_id": "a", "event": "gated" }, "leaf_index": index, "tree_size": 3, "checkpoint": checkpoint,
        "proof": proof[index].iter().map(|hash| STANDARD.encode(hash.0)).collect::<Vec<_>>(),
    });
    (answer, format!("log.example+{key_hash:08x}+{}", STANDARD.encode(&key)))
}

#[test]
fn proofs_of_all_leaves_are_valid() {
    for index in 0..3 {
        let ((answer, vkey), id) = (answer(index), ["a", "b", "c"][index]);
        let leaf = check(&answer, &vkey, id).unwrap();
        assert_eq!((&leaf["listing_id"], &leaf["event"]), (&json!(id), &json!("live")));
        assert!(check(&answer, &vkey, "d").is_err(), "of another listing");
    }
}

#[test]
fn every_change_makes_a_proof_invalid() {
    let (good, vkey) = answer(1);
    let other_key = vkey.replace("log.example", "other.example");
    assert!(check(&good, &other_key, "b").is_err() && check(&good, "x", "b").is_err());
    for (name, value) in [
        ("leaf_text", json!("x")),
        ("leaf_index", json!(0)),
        ("leaf_index", json!(3)),
        ("tree_size", json!(4)),
        ("proof", json!([])),
        ("proof", json!(["AA==", "AA==", "AA=="])),
        (
            "checkpoint",
            json!(good["checkpoint"].as_str().unwrap().replace("log.example\n3", "log.example\n4")),
        ),
    ] {
        let mut changed = good.clone();
        changed[name] = value;
        assert!(check(&changed, &vkey, "b").is_err(), "{name}: {}", changed[name]);
    }
}
