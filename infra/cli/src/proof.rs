//! Checks an inclusion proof of the evidence log (RFC 6962, section 2.1.1) and the signature of its checkpoint (C2SP
//! signed-note), without trusting the registry that returned them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::Value;

/// The algorithm byte of Ed25519 in a verifier key.
const ED25519_KEY: u8 = 1;

/// Why a proof proves nothing.
type Flaw = &'static str;

/// Checks an answer of `/log/proof` with a verifier key, such as `name+hash+key`.
pub(crate) fn check(answer: &Value, vkey: &str) -> Result<(), Flaw> {
    let text = |name: &str| answer[name].as_str().ok_or("a member is missing");
    let number = |name: &str| answer[name].as_u64().ok_or("a member is missing");
    let (size, checkpoint) = (number("tree_size")?, text("checkpoint")?);
    let hashes = answer["proof"].as_array().ok_or("a member is missing")?;
    let hashes: Vec<Vec<u8>> =
        hashes.iter().map(|hash| decoded(hash.as_str().unwrap_or_default())).collect::<Result<_, _>>()?;
    let leaf = hash(&[&[0], text("leaf_text")?.as_bytes()]);
    let root = root(number("leaf_index")?, size, leaf, &hashes)?;
    let signed = signed_text(checkpoint, vkey)?;
    let mut lines = signed.lines().skip(1);
    if lines.next().and_then(|line| line.parse().ok()) != Some(size) {
        return Err("the checkpoint is of another size");
    }
    match lines.next().map(decoded) {
        Some(Ok(signed_root)) if signed_root == root => Ok(()),
        _ => Err("the leaf is not in the signed log"),
    }
}

fn hash(parts: &[&[u8]]) -> Vec<u8> {
    digest(&SHA256, &parts.concat()).as_ref().to_vec()
}

fn decoded(text: &str) -> Result<Vec<u8>, Flaw> {
    STANDARD.decode(text).map_err(|_| "a hash or key is not base64")
}

/// The root of a tree of `size` leaves that contains `leaf` at `index` (RFC 9162, section 2.1.3.2).
fn root(index: u64, size: u64, leaf: Vec<u8>, proof: &[Vec<u8>]) -> Result<Vec<u8>, Flaw> {
    if index >= size {
        return Err("the index is not in the tree");
    }
    let (mut first, mut last, mut root) = (index, size - 1, leaf);
    for sibling in proof {
        if last == 0 {
            return Err("the proof is too long");
        }
        if first % 2 == 1 || first == last {
            root = hash(&[&[1], sibling, &root]);
            while first % 2 == 0 && first != 0 {
                (first, last) = (first >> 1, last >> 1);
            }
        } else {
            root = hash(&[&[1], &root, sibling]);
        }
        (first, last) = (first >> 1, last >> 1);
    }
    if last == 0 { Ok(root) } else { Err("the proof is too short") }
}

/// The text of a note, if it is signed with this key.
fn signed_text<'a>(note: &'a str, vkey: &str) -> Result<&'a str, Flaw> {
    let mut parts = vkey.splitn(3, '+');
    let (Some(name), Some(_), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("the verifier key is malformed");
    };
    let key = decoded(key)?;
    let Some((&ED25519_KEY, public)) = key.split_first() else {
        return Err("the verifier key is not Ed25519");
    };
    // The hash of a key is made of its name, so another name does not match.
    let key_hash = &hash(&[name.as_bytes(), b"\n", &key])[..4];
    let (text, signatures) = note.split_once("\n\n").ok_or("the checkpoint is malformed")?;
    let text = &note[..text.len() + 1];
    let own =
        signatures.lines().filter_map(|line| line.strip_prefix(&format!("\u{2014} {name} ")).map(decoded));
    let is_valid = own.filter_map(Result::ok).any(|signature| {
        signature.len() > 4
            && signature[..4] == *key_hash
            && UnparsedPublicKey::new(&ED25519, public).verify(text.as_bytes(), &signature[4..]).is_ok()
    });
    if is_valid { Ok(text) } else { Err("the checkpoint is not signed with the verifier key") }
}

#[cfg(test)]
mod tests {
    use ring::signature::{Ed25519KeyPair, KeyPair as _};
    use serde_json::json;

    use super::*;

    /// A log of three leaves, signed with a key of the test; the proof is for the leaf at `index`.
    fn answer(index: usize) -> (Value, String) {
        let leaves = ["a", "b", "c"].map(|text| hash(&[&[0], text.as_bytes()]));
        let left = hash(&[&[1], &leaves[0], &leaves[1]]);
        let root = hash(&[&[1], &left, &leaves[2]]);
        let proof = [
            vec![leaves[1].clone(), leaves[2].clone()],
            vec![leaves[0].clone(), leaves[2].clone()],
            vec![left],
        ];
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        let key = [&[ED25519_KEY], pair.public_key().as_ref()].concat();
        let text = format!("log.example\n3\n{}\n", STANDARD.encode(&root));
        let key_hash = &hash(&[b"log.example\n", &key])[..4];
        let signature = [key_hash, pair.sign(text.as_bytes()).as_ref()].concat();
        let checkpoint = format!("{text}\n\u{2014} log.example {}\n", STANDARD.encode(signature));
        let leaf_text = ["a", "b", "c"][index];
        let answer = json!({
            "leaf_text": leaf_text, "leaf_index": index, "tree_size": 3, "checkpoint": checkpoint,
            "proof": proof[index].iter().map(|hash| STANDARD.encode(hash)).collect::<Vec<_>>(),
        });
        (answer, format!("log.example+00000000+{}", STANDARD.encode(&key)))
    }

    #[test]
    fn proofs_of_all_leaves_are_valid() {
        for index in 0..3 {
            let (answer, vkey) = answer(index);
            assert_eq!(check(&answer, &vkey), Ok(()), "{index}");
        }
    }

    #[test]
    fn every_change_makes_a_proof_invalid() {
        let (good, vkey) = answer(1);
        let other_key = vkey.replace("log.example", "other.example");
        assert!(check(&good, &other_key).is_err() && check(&good, "x").is_err());
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
            assert!(check(&changed, &vkey).is_err(), "{name}: {}", changed[name]);
        }
    }
}
