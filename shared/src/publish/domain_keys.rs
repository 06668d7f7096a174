//! Where a domain says which keys speak for its names: in its TXT records, and in a document that it serves by HTTPS.
//! Either will do, and both hold the record of the official registry (`v=MCPv1; k=ed25519; p=...`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::signature::{ED25519, UnparsedPublicKey};

use crate::app::App;
use crate::fetch::{Follow, PREFLIGHT, Request, Target};
use crate::model::NameProofMethod;

/// The longest document, in bytes (official registry, `auth/http.go`).
const LONGEST_DOCUMENT: usize = 4096;

/// An Ed25519 public key.
type Key = [u8; 32];

/// The keys in one of the two places.
pub(super) struct DomainKeys {
    /// What a signature by one of them proves the name by.
    pub(super) how: NameProofMethod,
    /// One at least, or a sentence that says why there is none.
    found: Result<Vec<Key>, String>,
}

impl DomainKeys {
    /// Asks for the TXT records of a domain.
    pub(super) async fn by_dns(app: &App, domain: &str) -> Self {
        let found = match app.fetcher.txt_records(domain, PREFLIGHT).await {
            Ok(records) => keys(records.iter().map(String::as_str))
                .ok_or_else(|| format!("No TXT record of {domain} holds an Ed25519 key.")),
            Err(error) => Err(format!("The TXT records of {domain} could not be read: {error}")),
        };
        Self { how: NameProofMethod::Dns, found }
    }

    /// Asks for the document of a domain, in the same time.
    pub(super) async fn by_http(app: &App, domain: &str) -> Self {
        let url = document_url(app, domain);
        let found = match document(app, &url).await {
            Ok(text) => {
                keys(text.lines()).ok_or_else(|| format!("The document at {url} holds no Ed25519 key."))
            }
            Err(why) => Err(format!("The document at {url} could not be read: {why}")),
        };
        Self { how: NameProofMethod::Http, found }
    }

    /// Whether one of them made a signature of a text.
    pub(super) fn signed(&self, text: &str, signature: &[u8]) -> bool {
        let signs =
            |key: &Key| UnparsedPublicKey::new(&ED25519, key).verify(text.as_bytes(), signature).is_ok();
        self.found.iter().flatten().any(signs)
    }

    /// Why there is none.
    pub(super) fn why_none(&self) -> Option<&str> {
        self.found.as_ref().err().map(String::as_str)
    }
}

/// Where the document of a domain is read.
pub(super) fn document_url(app: &App, domain: &str) -> String {
    app.settings.domain_proof_url.replace("{domain}", domain)
}

async fn document(app: &App, url: &str) -> Result<String, String> {
    let target = Target::parse(url, app.settings.reach()).map_err(|error| error.to_string())?;
    let request = Request::get(target)
        .with_header("accept", "text/plain")
        .with_max_bytes(LONGEST_DOCUMENT)
        .with_deadline(PREFLIGHT)
        .with_follow(Follow::Never);
    let answer = app.fetcher.send(request).await.map_err(|error| error.to_string())?;
    if answer.status != 200 {
        return Err(format!("it answered {}.", answer.status.as_u16()));
    }
    Ok(String::from_utf8_lossy(&answer.body).into_owned())
}

/// The Ed25519 keys of the records among some texts; other texts may stand beside them. `None` where there is no key.
fn keys<'a>(texts: impl Iterator<Item = &'a str>) -> Option<Vec<Key>> {
    let key = |text: &str| {
        let mut fields = text.split(';').filter_map(|field| field.trim().split_once('='));
        let (version, kind, key) = (fields.next()?, fields.next()?, fields.next()?);
        let is_ours = version == ("v", "MCPv1") && kind == ("k", "ed25519") && key.0 == "p";
        BASE64.decode(key.1).ok().filter(|_| is_ours)?.try_into().ok()
    };
    let keys: Vec<Key> = texts.filter_map(key).collect();
    (!keys.is_empty()).then_some(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_the_official_registry_reads_it() {
        let key = BASE64.encode([7; 32]);
        let of = |text: &str| keys(text.lines());
        assert_eq!(of(&format!("v=MCPv1; k=ed25519; p={key}\n")), Some(vec![[7; 32]]));
        let several = format!("old\nv=MCPv1;k=ed25519;p={key}\r\nv=MCPv1; k=ed25519; p={key}");
        assert_eq!(of(&several), Some(vec![[7; 32]; 2]));
        for text in [
            "",
            "v=MCPv1; k=ed25519; p=",
            &format!("v=MCPv2; k=ed25519; p={key}"),
            &format!("v=MCPv1; k=ecdsap384; p={key}"),
            &format!("v=MCPv1; p={key}"),
            "v=MCPv1; k=ed25519; p=AAAA",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
