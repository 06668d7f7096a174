//! Signed statements as text (JWS, compact serialisation, RFC 7515 §7.1). What is read is held to the one form that is
//! written, so that no other spelling of a statement passes for it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use serde_json::{Map, Value, json};

use super::keys::SignKey;
use registry_model::error::Problem;

/// RFC 8725 §3.11 (explicit typing): nothing else that the key signs can pass for a statement.
pub(super) const TYPE: &str = "attestation+jwt";
pub(super) const ALGORITHM: &str = "ES256";
/// In bytes.
const LONGEST: usize = 32 * 1024;

/// A parsed token; nothing is verified yet.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) header: Map<String, Value>,
    pub(super) payload: Map<String, Value>,
    /// The signing input.
    pub(super) signed: &'a str,
    pub(super) signature: Vec<u8>,
}

pub(super) fn sign(key: &SignKey, payload: &Value) -> Result<String, Problem> {
    let header = json!({ "alg": ALGORITHM, "kid": key.kid(), "typ": TYPE });
    let signed = format!("{}.{}", part(&header)?, part(payload)?);
    let signature = key.sign(&signed);
    Ok(format!("{signed}.{signature}"))
}

pub(super) fn read(text: &str) -> Result<Token<'_>, &'static str> {
    if text.len() > LONGEST {
        return Err("It is longer than any token of this registry.");
    }
    let (signed, signature) = text.rsplit_once('.').ok_or("It is not three parts joined by dots.")?;
    let (header, payload) = signed.split_once('.').ok_or("It is not three parts joined by dots.")?;
    let object = |part: &str| -> Option<Map<String, Value>> {
        serde_json::from_slice(&BASE64URL.decode(part).ok()?).ok()
    };
    Ok(Token {
        header: object(header).ok_or("Its header is not a JSON object in base64url.")?,
        payload: object(payload).ok_or("Its payload is not a JSON object in base64url.")?,
        signed,
        signature: BASE64URL.decode(signature).map_err(|_| "Its signature is not base64url.")?,
    })
}

/// Canonical JSON, so that the same statement is always the same text.
fn part(value: &Value) -> Result<String, Problem> {
    let bytes = serde_json_canonicalizer::to_vec(value).map_err(|error| Problem::fault(error.to_string()))?;
    Ok(BASE64URL.encode(bytes))
}
