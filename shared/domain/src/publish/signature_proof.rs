//! Proves the name in a server description with the key of the domain. The domain publishes the key. With this key, the
//! publisher signs four things: the URL of this registry, the name, the URL of the remote server and the time.

use std::pin::pin;

use futures::future::select;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Deserialize;

use registry_app::App;
use registry_app::domain_keys::{DomainKeys, Signature, auth_document_url};
use registry_formats::name_owner;
use registry_model::error::Problem;
use registry_model::{KeySource, Moment, NameProofMethod};

/// Long enough for clocks that differ, too short to reuse the proof.
const MAX_CLOCK_DIFFERENCE: SignedDuration = SignedDuration::from_mins(5);

/// A proof that you own the name in a server description. With this proof, the name is shown as proven, and you may
/// change the description of an existing listing. The domain of the name must publish your key. For the name
/// `com.example/weather`, the domain is `example.com`. The record is `v=MCPv1; k=ed25519; p=<public key, base64>`.
/// Publish it as a TXT record of `example.com`, or as a line of `https://example.com/.well-known/mcp-registry-auth`.
/// Names below `io.github` need no proof here, because the registry reads the server.json in the owner's repository.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ProofRequest {
    /// The time of the signature (RFC 3339), at most five minutes from now.
    #[schemars(extend("format" = "date-time"))]
    pub timestamp: String,
    /// The Ed25519 signature in hexadecimal. Sign four lines, joined by line feeds: the base URL of this registry, the
    /// name, the URL of the remote server, and the timestamp exactly as you send it.
    #[schemars(regex(pattern = "^[0-9a-fA-F]{128}$"))]
    pub signature: String,
}

#[derive(Clone, Debug)]
pub struct OfferedProof {
    timestamp: String,
    at: Moment,
    signature: Signature,
}

impl OfferedProof {
    pub(super) fn parse(request: ProofRequest) -> Result<Self, Problem> {
        let ProofRequest { timestamp, signature } = request;
        let at = timestamp.parse().map_err(|_| {
            let detail = "`proof.timestamp` must be an RFC 3339 time such as 2026-11-20T12:00:00Z.";
            Problem::invalid("proof.timestamp", "bad_time", detail)
        })?;
        let signature = Signature::from_hex(&signature).ok_or_else(|| {
            let detail = "`proof.signature` must be an Ed25519 signature: 128 hexadecimal digits.";
            Problem::invalid("proof.signature", "bad_signature", detail)
        })?;
        Ok(Self { timestamp, at, signature })
    }

    /// Verifies that a key of the name's domain signed it; returns how the domain published that key. The error
    /// contains the text to sign.
    pub(super) async fn verify(
        &self,
        app: &App,
        name: &str,
        remote: &str,
        now: Moment,
    ) -> Result<NameProofMethod, Problem> {
        let text = format!("{}\n{name}\n{remote}\n{}", app.settings.base_url, self.timestamp);
        let refuse = |field: &str, code: &'static str, detail: String| {
            Problem::unproven(field, code, detail).with("signed_text", text.clone())
        };
        if self.at.duration_since(now).abs() > MAX_CLOCK_DIFFERENCE {
            let detail = format!(
                "`proof.timestamp` is more than five minutes from now ({now}). Sign again with the current time."
            );
            return Err(refuse("proof.timestamp", "stale_proof", detail));
        }
        let domain = name_owner::domain(name).ok_or_else(|| {
            let detail = "The name is not a reversed domain name, so no domain can prove the name.";
            refuse("proof", "name_without_domain", detail.to_owned())
        })?;
        // The first place that proves it ends the wait: many domains serve nothing by HTTP.
        let (by_dns, by_http) =
            (pin!(DomainKeys::by_dns(app, &domain)), pin!(DomainKeys::by_http(app, &domain)));
        let (first, pending) = select(by_dns, by_http).await.factor_first();
        if first.signer(&text, &self.signature).is_some() {
            return Ok(proven_by(first.source));
        }
        let second = pending.await;
        if second.signer(&text, &self.signature).is_some() {
            return Ok(proven_by(second.source));
        }
        Err(match (first.why_none(), second.why_none()) {
            (Some(first), Some(second)) => {
                let url = auth_document_url(app, &domain);
                let detail = format!(
                    "{first} {second} Publish `v=MCPv1; k=ed25519; p=<public key, base64>` as a TXT record at {domain}, \
                     or serve it at {url}."
                );
                refuse("proof", "no_proof_record", detail)
            }
            (first, second) => {
                let unread = first.or(second).map(|why| format!(" {why}")).unwrap_or_default();
                let detail = format!(
                    "No key of {domain} made this signature. Sign the four lines of `signed_text`, joined by \
                     line feeds.{unread}"
                );
                refuse("proof.signature", "signature_mismatch", detail)
            }
        })
    }
}

const fn proven_by(source: KeySource) -> NameProofMethod {
    match source {
        KeySource::Dns => NameProofMethod::Dns,
        KeySource::Http | KeySource::KeySet | KeySource::DidWeb => NameProofMethod::Http,
    }
}
