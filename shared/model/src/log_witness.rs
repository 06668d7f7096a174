//! The witnesses of the evidence log that the operator chose (C2SP `tlog-witness`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest, Sha256};
use url::Url;

/// The signature type of Ed25519 cosignatures (C2SP `tlog-cosignature`).
const COSIGNATURE: u8 = 4;

/// A witness: its key, and where it accepts checkpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogWitness {
    pub name: String,
    /// The public key in the form of signed notes.
    pub vkey: String,
    pub key_id: u32,
    pub key: [u8; 32],
    /// The submission prefix, without a trailing slash.
    pub url: String,
}

impl LogWitness {
    /// Parses a verifier key and a URL that are separated by a space.
    pub fn parse(text: &str) -> Option<Self> {
        let (vkey, url) = text.trim().split_once(char::is_whitespace)?;
        let (name, rest) = vkey.split_once('+')?;
        let (id, key) = rest.split_once('+')?;
        let bytes = BASE64.decode(key).ok()?;
        let digest = Sha256::digest([name.as_bytes(), b"\n", &bytes].concat());
        let key_id = u32::from_be_bytes(digest.first_chunk().copied()?);
        let (&kind, key) = bytes.split_first()?;
        let url = Url::parse(url.trim()).ok()?;
        let is_prefix = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.query().is_none()
            && url.fragment().is_none();
        (is_prefix && !name.is_empty() && kind == COSIGNATURE && id == format!("{key_id:08x}"))
            .then_some(())?;
        let (name, vkey) = (name.to_owned(), vkey.to_owned());
        let url = url.as_str().trim_end_matches('/').to_owned();
        Some(Self { name, vkey, key_id, key: key.try_into().ok()?, url })
    }

    pub fn is_https(&self) -> bool {
        self.url.starts_with("https:")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn witness_has_a_cosignature_key_and_a_url() {
        let vkey = |kind: u8, name: &str| {
            let key = [&[kind][..], &[7; 32]].concat();
            let digest = Sha256::digest([name.as_bytes(), b"\n", &key].concat());
            let id = u32::from_be_bytes(*digest.first_chunk().unwrap());
            format!("{name}+{id:08x}+{}", BASE64.encode(key))
        };
        let good = vkey(COSIGNATURE, "witness.example/w1");
        let witness = LogWitness::parse(&format!(" {good}  https://witness.example/submit/ ")).unwrap();
        assert_eq!((witness.name.as_str(), witness.key), ("witness.example/w1", [7; 32]));
        assert_eq!((witness.url.as_str(), witness.is_https()), ("https://witness.example/submit", true));
        for wrong in [
            good.clone(),
            format!("{good} ftp://witness.example"),
            format!("{good} https://witness.example/?a=b"),
            format!("{} https://witness.example", vkey(1, "witness.example/w1")),
            format!("x{good} https://witness.example"),
        ] {
            assert_eq!(LogWitness::parse(&wrong), None, "{wrong}");
        }
    }
}
