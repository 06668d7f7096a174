//! The keys of a domain, with which an owner proves a name or an identity, or signs a request, and the sources where a domain
//! publishes them. A TXT record or a document at an https URL contains the record of the official registry,
//! `v=MCPv1; k=ed25519; p=...`. The third source is a key set.

mod public_key;

pub use public_key::{InvalidKey, PublicKey, Signature};

use std::net::IpAddr;

use http::StatusCode;
use registry_fetch::{Follow, PREFLIGHT, Request, Target};

use crate::prelude::*;
use registry_model::{KeySource, json};

/// Bytes of a document of records (official registry, `auth/http.go`).
const MAX_AUTH_DOCUMENT_BYTES: usize = 4096;
/// Bytes of a key set, and the number of values in it.
const MAX_KEY_SET_BYTES: usize = 64 * 1024;
const MAX_VALUES: usize = 10_000;
const MAX_KEYS: usize = 50;

#[derive(Clone, Debug)]
pub struct DomainKeys {
    pub source: KeySource,
    /// At least one key, or why there is none.
    found: Result<Vec<PublicKey>, NoKeys>,
}

#[derive(Clone, Debug)]
struct NoKeys {
    /// A sentence.
    why: String,
    /// The source did not answer, so it may contain keys.
    is_unread: bool,
}

impl NoKeys {
    const fn unread(why: String) -> Self {
        Self { why, is_unread: true }
    }

    const fn absent(why: String) -> Self {
        Self { why, is_unread: false }
    }
}

impl DomainKeys {
    /// Reads the TXT records of a domain.
    pub async fn by_dns(app: &App, domain: &str) -> Self {
        if domain.trim_matches(['[', ']']).parse::<IpAddr>().is_ok() {
            let why = format!("{domain} is an address, so it has no TXT records.");
            return Self { source: KeySource::Dns, found: Err(NoKeys::absent(why)) };
        }
        let found = match app.fetcher.txt_records(domain, PREFLIGHT).await {
            Ok(records) => keys_of_records(records.iter().map(String::as_str))
                .ok_or_else(|| NoKeys::absent(format!("No TXT record of {domain} contains an Ed25519 key."))),
            Err(error) => {
                Err(NoKeys::unread(format!("The TXT records of {domain} could not be read: {error}")))
            }
        };
        Self { source: KeySource::Dns, found }
    }

    /// Reads the document of records of a domain, with the same timeout.
    pub async fn by_http(app: &App, domain: &str) -> Self {
        let url = auth_document_url(app, domain);
        let found =
            text_of_document(app, &url, "text/plain", MAX_AUTH_DOCUMENT_BYTES).await.and_then(|text| {
                keys_of_records(String::from_utf8_lossy(&text).lines())
                    .ok_or_else(|| NoKeys::absent(format!("The document at {url} contains no Ed25519 key.")))
            });
        Self { source: KeySource::Http, found }
    }

    pub async fn by_key_set(app: &App, origin: &str) -> Self {
        let url = format!("{origin}/.well-known/jwks.json");
        Self { source: KeySource::KeySet, found: keys_in_key_set_at(app, &url).await }
    }

    pub fn keys(&self) -> &[PublicKey] {
        self.found.as_deref().unwrap_or_default()
    }

    pub fn signer(&self, text: &str, signature: &Signature) -> Option<&PublicKey> {
        self.keys().iter().find(|key| key.signed(text, signature))
    }

    pub fn why_none(&self) -> Option<&str> {
        self.found.as_ref().err().map(|none| none.why.as_str())
    }

    /// Whether the source could not be read now: no answer, or the answer of a server with a fault.
    pub fn is_unread(&self) -> bool {
        self.found.as_ref().is_err_and(|none| none.is_unread)
    }
}

pub fn auth_document_url(app: &App, domain: &str) -> String {
    app.settings.domain_proof_url.replace("{domain}", domain)
}

async fn keys_in_key_set_at(app: &App, url: &str) -> Result<Vec<PublicKey>, NoKeys> {
    let text = text_of_document(app, url, "application/json", MAX_KEY_SET_BYTES).await?;
    let document = json::parse_limited(&text, &mut { MAX_VALUES }).map_err(|_| {
        NoKeys::absent(format!("The document at {url} is not valid JSON, or it is too large."))
    })?;
    let found = keys_of_key_set(&document);
    if found.is_empty() {
        let what = "contains no Ed25519 or P-256 key that may sign";
        return Err(NoKeys::absent(format!("The document at {url} {what}.")));
    }
    Ok(found)
}

/// The keys of a key set (RFC 7517). Keys that are not supported, or must not verify signatures, are skipped.
fn keys_of_key_set(document: &Value) -> Vec<PublicKey> {
    let keys = document["keys"].as_array().into_iter().flatten().take(MAX_KEYS);
    keys.filter_map(|key| PublicKey::from_jwk(key.as_object()?).ok()).collect()
}

async fn text_of_document(
    app: &App,
    url: &str,
    accept: &'static str,
    longest: usize,
) -> Result<Vec<u8>, NoKeys> {
    let none = |why: String, is_unread| NoKeys {
        why: format!("The document at {url} could not be read: {why}"),
        is_unread,
    };
    let target = Target::parse(url, app.settings.reach()).map_err(|error| none(error.to_string(), false))?;
    let request = Request::get(target)
        .with_header("accept", accept)
        .with_max_bytes(longest)
        .with_deadline(PREFLIGHT)
        .with_follow(Follow::Never);
    let answer = app.fetcher.send(request).await.map_err(|error| none(error.to_string(), true))?;
    if answer.status == 200 {
        return Ok(answer.body.to_vec());
    }
    let is_unread = answer.status.is_server_error() || answer.status == StatusCode::TOO_MANY_REQUESTS;
    Err(none(format!("it answered {}.", answer.status.as_u16()), is_unread))
}

/// The keys of the records among other texts; `None` where there is no key.
fn keys_of_records<'a>(texts: impl Iterator<Item = &'a str>) -> Option<Vec<PublicKey>> {
    let keys: Vec<PublicKey> = texts.filter_map(|text| PublicKey::from_record(text).ok()).collect();
    (!keys.is_empty()).then_some(keys)
}

#[cfg(test)]
mod tests;
