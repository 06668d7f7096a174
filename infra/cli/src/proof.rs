//! Checks an inclusion proof of the evidence log (RFC 6962, section 2.1.1) and the signature of its checkpoint (C2SP
//! signed-note), without trusting the registry that returned them.

use serde_json::Value;
use signed_note::{Note, StandardVerifier, VerifierList};
use tlog_tiles::{Checkpoint, Hash, check_record, record_hash};

/// Why a proof proves nothing.
type Flaw = &'static str;

/// Checks an answer of `/log/proof` with a verifier key, such as `name+hash+key`. Returns the proven decision about the
/// listing.
pub(crate) fn check(answer: &Value, vkey: &str, listing: &str) -> Result<Value, Flaw> {
    let text = |name: &str| answer[name].as_str().ok_or("a member is missing");
    let number = |name: &str| answer[name].as_u64().ok_or("a member is missing");
    let (index, size) = (number("leaf_index")?, number("tree_size")?);
    let key = StandardVerifier::new(vkey).map_err(|_| "the verifier key is malformed")?;
    let note = Note::from_bytes(text("checkpoint")?.as_bytes()).map_err(|_| "the checkpoint is malformed")?;
    note.verify(&VerifierList::new(vec![Box::new(key)]))
        .map_err(|_| "the checkpoint is not signed with the verifier key")?;
    let signed = Checkpoint::from_bytes(note.text()).map_err(|_| "the checkpoint is malformed")?;
    if signed.size() != size {
        return Err("the checkpoint is of another size");
    }
    let path = answer["proof"].as_array().ok_or("a member is missing")?.iter();
    let path: Result<Vec<Hash>, _> =
        path.map(|hash| Hash::parse_hash(hash.as_str().unwrap_or_default())).collect();
    let path = path.map_err(|_| "a hash of the proof is not base64")?;
    let text = text("leaf_text")?;
    let hash = record_hash(text.as_bytes());
    check_record(&path, size, *signed.hash(), index, hash)
        .map_err(|_| "the leaf is not in the signed log")?;
    let leaf: Value = serde_json::from_str(text).map_err(|_| "the leaf is not JSON")?;
    if leaf["listing_id"] == listing { Ok(leaf) } else { Err("the leaf is of another listing") }
}

#[cfg(test)]
mod tests {
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
}
