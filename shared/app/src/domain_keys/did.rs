//! The two DID methods in which the identifier says where the key is. A `did:key` contains the key. A
//! `did:web` names the domain that serves the key.

use std::fmt;

use super::public_key::PublicKey;
use registry_fetch::Target;
use registry_model::{HostName, Reach};

const MAX_LENGTH: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Did {
    text: String,
    method: Method,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Method {
    Key(PublicKey),
    Web { host: HostName, port: Option<u16> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it must be a `did:key` of an Ed25519 or P-256 key, or a `did:web` of a domain without a path, such as \
     did:web:agents.example.org"
)]
pub struct InvalidDid;

impl Did {
    /// Parses a DID. A `did:web` with a path is refused, because a user who may write below a path does not speak for
    /// the whole domain.
    pub fn parse(text: &str) -> Result<Self, InvalidDid> {
        let text = text.trim();
        if text.len() > MAX_LENGTH {
            return Err(InvalidDid);
        }
        let method = if let Some(key) = text.strip_prefix("did:key:") {
            Method::Key(PublicKey::from_multikey(key).map_err(|_| InvalidDid)?)
        } else {
            let authority = text.strip_prefix("did:web:").ok_or(InvalidDid)?;
            let (host, port) = match authority.split_once("%3A").or_else(|| authority.split_once("%3a")) {
                Some((host, port)) => (host, Some(port.parse().map_err(|_| InvalidDid)?)),
                None => (authority, None),
            };
            if host.contains([':', '/', '%', '@', '#', '?']) {
                return Err(InvalidDid);
            }
            Method::Web { host: host.parse().map_err(|_| InvalidDid)?, port }
        };
        Ok(Self { text: text.to_owned(), method })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The key in a `did:key`.
    pub const fn key(&self) -> Option<&PublicKey> {
        match &self.method {
            Method::Key(key) => Some(key),
            Method::Web { .. } => None,
        }
    }

    /// The domain of a `did:web`.
    pub const fn domain(&self) -> Option<&HostName> {
        match &self.method {
            Method::Key(_) => None,
            Method::Web { host, .. } => Some(host),
        }
    }

    /// Whether its document is served at this origin, or at the default port of its domain.
    pub fn is_at(&self, origin: Option<&str>) -> bool {
        let Method::Web { port, .. } = &self.method else { return false };
        port.is_none_or(|port| origin.is_some_and(|origin| origin.ends_with(&format!(":{port}"))))
    }

    /// Where its document is read: by https, except for loopback in development.
    pub(super) fn document(&self, reach: Reach) -> Option<Target> {
        let Method::Web { host, port } = &self.method else { return None };
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        let at =
            |scheme: &str| Target::parse(&format!("{scheme}://{host}{port}/.well-known/did.json"), reach);
        at("http").ok().filter(Target::is_loopback).or_else(|| at("https").ok())
    }
}

impl fmt::Display for Did {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_did_gives_the_location_of_its_key() {
        let web = Did::parse("did:web:agents.example.org").unwrap();
        assert_eq!(web.domain().map(HostName::as_str), Some("agents.example.org"));
        let document = web.document(Reach::Public).unwrap();
        assert_eq!(document.as_str(), "https://agents.example.org/.well-known/did.json");
        let port = Did::parse("did:web:agents.example.org%3A8443").unwrap();
        let document = port.document(Reach::Public).unwrap();
        assert_eq!(document.as_str(), "https://agents.example.org:8443/.well-known/did.json");
        let here = Did::parse("did:web:127.0.0.1%3A4000").unwrap();
        let document = here.document(Reach::Development).unwrap();
        assert_eq!(document.as_str(), "http://127.0.0.1:4000/.well-known/did.json");
        assert!(here.document(Reach::Public).is_none());
        assert!(here.is_at(Some("http://127.0.0.1:4000")) && !here.is_at(Some("http://127.0.0.1:14001")));
        assert!(web.is_at(None) && !port.is_at(Some("https://agents.example.org")));
        assert!(
            Did::parse("did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp").unwrap().key().is_some()
        );
    }

    #[test]
    fn dids_without_a_full_domain_are_refused() {
        for text in [
            "",
            "did:web:",
            "did:web:example.org:users:eve",
            "did:web:example.org/users",
            "did:web:eve@example.org",
            "did:web:example.org%3A99999",
            "did:web:example.org%2Fusers",
            "did:key:z6Mk",
            "did:ion:EiClkZMDxPKqC9c",
            &format!("did:web:{}org", "a.".repeat(200)),
        ] {
            assert_eq!(Did::parse(text), Err(InvalidDid), "{text}");
        }
    }
}
