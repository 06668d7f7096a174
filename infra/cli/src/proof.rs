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
mod tests;
