//! The proof of a name by its domain's key: the domain serves the record of the official registry (`v=MCPv1; k=ed25519;
//! p=...`), and the publisher signs what is published and when. Who holds the key speaks for the name.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use jiff::SignedDuration;
use ring::signature::{ED25519, UnparsedPublicKey};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::App;
use crate::error::Problem;
use crate::fetch::{Follow, Request, Target};
use crate::formats::name_owner;
use crate::model::Moment;

/// How far a proof's time may be from ours: long enough for clocks that differ, too short to be used again.
const FRESH: SignedDuration = SignedDuration::from_mins(5);
/// The longest record, in bytes (official registry, `auth/http.go`).
const LONGEST_RECORD: usize = 4096;

/// A proof that the name in a server description is the publisher's, so that it is shown as proven and the words of a
/// listing may be changed. The domain of the name (`example.com` for `com.example/weather`) serves the line
/// `v=MCPv1; k=ed25519; p=<public key, base64>` at `https://example.com/.well-known/mcp-registry-auth`. Names below
/// `io.github` need none: theirs is the server.json in the owner's repository.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ProofRequest {
    /// The time of the signature (RFC 3339), at most five minutes from now.
    pub timestamp: String,
    /// The Ed25519 signature, in hexadecimal, of four lines joined by line feeds: this registry's base URL, the name,
    /// the URL of the remote, and the timestamp as it is sent.
    pub signature: String,
}

/// A proof as it was offered, in its right form.
#[derive(Clone, Debug)]
pub struct OfferedProof {
    timestamp: String,
    at: Moment,
    signature: Vec<u8>,
}

impl OfferedProof {
    /// Reads a proof.
    ///
    /// # Errors
    /// Names the field and what to do.
    pub(super) fn parse(request: ProofRequest) -> Result<Self, Problem> {
        let ProofRequest { timestamp, signature } = request;
        let at = timestamp.parse().map_err(|_| {
            let detail = "`proof.timestamp` must be a time of RFC 3339, such as 2026-11-20T12:00:00Z.";
            Problem::invalid("proof.timestamp", "bad_time", detail)
        })?;
        let signature = bytes(&signature).filter(|bytes| bytes.len() == 64).ok_or_else(|| {
            let detail = "`proof.signature` must be an Ed25519 signature: 128 hexadecimal digits.";
            Problem::invalid("proof.signature", "bad_signature", detail)
        })?;
        Ok(Self { timestamp, at, signature })
    }

    /// Whether the key of the name's domain signed it.
    ///
    /// # Errors
    /// What is wrong with it, with the text that is to be signed.
    pub(super) async fn verify(
        &self,
        app: &App,
        name: &str,
        remote: &str,
        now: Moment,
    ) -> Result<(), Problem> {
        let text = format!("{}\n{name}\n{remote}\n{}", app.settings.base_url, self.timestamp);
        let refuse = |field: &str, code: &'static str, detail: String| {
            Problem::invalid(field, code, detail).with("signed_text", text.clone())
        };
        if self.at.duration_since(now).abs() > FRESH {
            let detail =
                format!("`proof.timestamp` is more than five minutes from now, which is {now}. Sign anew.");
            return Err(refuse("proof.timestamp", "stale_proof", detail));
        }
        let domain = name_owner::domain(name).ok_or_else(|| {
            refuse(
                "proof",
                "name_without_domain",
                "The name reverses no domain that could prove it.".to_owned(),
            )
        })?;
        let url = app.settings.domain_proof_url.replace("{domain}", &domain);
        let unread = |why: String| {
            let detail = format!(
                "The record of {domain} could not be read at {url}: {why} Serve the line `v=MCPv1; k=ed25519; \
                 p=<public key, base64>` there."
            );
            refuse("proof", "no_proof_record", detail)
        };
        let target = Target::parse(&url, app.settings.reach()).map_err(|error| unread(error.to_string()))?;
        let request = Request::get(target)
            .with_header("accept", "text/plain")
            .with_max_bytes(LONGEST_RECORD)
            .with_follow(Follow::Never);
        let answer = app.fetcher.send(request).await.map_err(|error| unread(format!("{error}.")))?;
        if answer.status != 200 {
            return Err(unread(format!("it answered {}.", answer.status.as_u16())));
        }
        let keys = keys(&String::from_utf8_lossy(&answer.body));
        if keys.is_empty() {
            return Err(unread("it holds no Ed25519 key.".to_owned()));
        }
        let signs = |key: &Vec<u8>| {
            UnparsedPublicKey::new(&ED25519, key).verify(text.as_bytes(), &self.signature).is_ok()
        };
        if keys.iter().any(signs) {
            return Ok(());
        }
        let detail = format!(
            "No key that {domain} serves made this signature of `signed_text` (four lines, joined by line feeds)."
        );
        Err(refuse("proof.signature", "signature_mismatch", detail))
    }
}

/// The Ed25519 keys of the records in a text, a line each.
fn keys(text: &str) -> Vec<Vec<u8>> {
    let key = |line: &str| {
        let mut fields = line.split(';').filter_map(|field| field.trim().split_once('='));
        let (version, kind, key) = (fields.next()?, fields.next()?, fields.next()?);
        let is_ours = version == ("v", "MCPv1") && kind == ("k", "ed25519") && key.0 == "p";
        BASE64.decode(key.1).ok().filter(|key| is_ours && key.len() == 32)
    };
    text.lines().filter_map(key).collect()
}

/// Bytes written in hexadecimal.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex.as_bytes().chunks(2);
    pairs
        .map(|pair| {
            let digits = std::str::from_utf8(pair).ok()?;
            let is_hex = pair.len() == 2 && pair.iter().all(u8::is_ascii_hexdigit);
            u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_the_official_registry_reads_it() {
        let key = BASE64.encode([7; 32]);
        assert_eq!(keys(&format!("v=MCPv1; k=ed25519; p={key}\n")), [[7; 32].to_vec()]);
        assert_eq!(keys(&format!("old\nv=MCPv1;k=ed25519;p={key}\r\nv=MCPv1; k=ed25519; p={key}")).len(), 2);
        for text in [
            "",
            "v=MCPv1; k=ed25519; p=",
            &format!("v=MCPv2; k=ed25519; p={key}"),
            &format!("v=MCPv1; k=ecdsap384; p={key}"),
            &format!("v=MCPv1; p={key}"),
            "v=MCPv1; k=ed25519; p=AAAA",
        ] {
            assert_eq!(keys(text), Vec::<Vec<u8>>::new(), "{text}");
        }
    }

    #[test]
    fn a_signature_is_hexadecimal() {
        assert_eq!(bytes("00fF"), Some(vec![0, 255]));
        for text in ["0", "0g", "+1", "é"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }
}
