//! A public key and a signature in the forms that publishers use: JWK, PEM, and the record of the official registry. Only
//! Ed25519 and P-256 keys are accepted, because agent cards and the official registry use these two kinds.

use std::fmt;

use p256::ecdsa::VerifyingKey;
use p256::ecdsa::signature::Verifier as _;
use ring::signature::{ED25519, UnparsedPublicKey};

use crate::prelude::*;
use registry_model::{PublicJwk, from_hex};

/// The bytes before the 32 bytes of an Ed25519 key in a `SubjectPublicKeyInfo` (RFC 8410 §4).
const ED25519_INFO: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
/// The bytes before the 65 bytes of an uncompressed P-256 point there (RFC 5480 §2).
const P256_INFO: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];
#[derive(Clone, PartialEq, Eq)]
pub enum PublicKey {
    Ed25519([u8; 32]),
    /// ECDSA on P-256, with SHA-256.
    P256(Box<VerifyingKey>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a public key of the kind Ed25519 or P-256")]
pub struct InvalidKey;

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PublicKey").field(&self.jwk().thumbprint()).finish()
    }
}

impl PublicKey {
    /// Parses a JWK (RFC 7517). A JWK with a private part is refused: a published private key must not be used any
    /// more. A JWK whose `use`, `key_ops` or `alg` does not allow to verify signatures is refused, too.
    pub fn from_jwk(jwk: &Map<String, Value>) -> Result<Self, InvalidKey> {
        let includes_verify =
            |ops: &Value| ops.as_array().is_some_and(|ops| ops.iter().any(|op| *op == "verify"));
        let verifies = jwk.get("use").is_none_or(|usage| *usage == "sig")
            && jwk.get("key_ops").is_none_or(includes_verify);
        if jwk.contains_key("d") || !verifies {
            return Err(InvalidKey);
        }
        let text = |name: &str| jwk.get(name).and_then(Value::as_str).unwrap_or_default();
        let part = |name: &str| -> Result<[u8; 32], InvalidKey> {
            let bytes = BASE64URL.decode(text(name)).map_err(|_| InvalidKey)?;
            bytes.try_into().map_err(|_| InvalidKey)
        };
        let is_for = |names: &[&str]| {
            jwk.get("alg").is_none_or(|alg| alg.as_str().is_some_and(|alg| names.contains(&alg)))
        };
        match (text("kty"), text("crv")) {
            ("OKP", "Ed25519") if is_for(&["EdDSA", "Ed25519"]) => Ok(Self::Ed25519(part("x")?)),
            ("EC", "P-256") if is_for(&["ES256"]) => {
                Self::from_point(&[&[4], &part("x")?[..], &part("y")?[..]].concat())
            }
            _ => Err(InvalidKey),
        }
    }

    /// Parses a PEM text (`-----BEGIN PUBLIC KEY-----`, RFC 7468 §13).
    pub fn from_pem(pem: &str) -> Result<Self, InvalidKey> {
        let inner = pem.trim().strip_prefix("-----BEGIN PUBLIC KEY-----").ok_or(InvalidKey)?;
        let inner = inner.strip_suffix("-----END PUBLIC KEY-----").ok_or(InvalidKey)?;
        let inner: String = inner.split_whitespace().collect();
        Self::from_info(&BASE64.decode(inner).map_err(|_| InvalidKey)?)
    }

    /// Parses a DER `SubjectPublicKeyInfo` (RFC 5280 §4.1).
    pub fn from_info(info: &[u8]) -> Result<Self, InvalidKey> {
        match (info.strip_prefix(&ED25519_INFO), info.strip_prefix(&P256_INFO)) {
            (Some(key), _) => Ok(Self::Ed25519(key.try_into().map_err(|_| InvalidKey)?)),
            (_, Some(point)) => Self::from_point(point),
            _ => Err(InvalidKey),
        }
    }

    /// Parses the record of the official registry (`v=MCPv1; k=ed25519; p=...`).
    pub fn from_record(text: &str) -> Result<Self, InvalidKey> {
        let mut fields = text.split(';').filter_map(|field| field.trim().split_once('='));
        let mut next = || fields.next().ok_or(InvalidKey);
        let (version, kind, key) = (next()?, next()?, next()?);
        if (version, kind, key.0) != (("v", "MCPv1"), ("k", "ed25519"), "p") {
            return Err(InvalidKey);
        }
        let bytes = BASE64.decode(key.1).map_err(|_| InvalidKey)?;
        bytes.try_into().map(Self::Ed25519).map_err(|_| InvalidKey)
    }

    /// The record of an Ed25519 key; none for other keys, which have no such record.
    pub fn record(&self) -> Option<String> {
        match self {
            Self::Ed25519(key) => Some(format!("v=MCPv1; k=ed25519; p={}", BASE64.encode(key))),
            Self::P256(_) => None,
        }
    }

    pub fn from_public_jwk(jwk: &PublicJwk) -> Result<Self, InvalidKey> {
        let jwk = serde_json::to_value(jwk).map_err(|_| InvalidKey)?;
        Self::from_jwk(jwk.as_object().ok_or(InvalidKey)?)
    }

    pub fn jwk(&self) -> PublicJwk {
        let (kty, crv, x, y) = match self {
            Self::Ed25519(key) => ("OKP", "Ed25519", BASE64URL.encode(key), None),
            Self::P256(key) => {
                let point = key.to_sec1_point(false);
                let part = |bytes: Option<&[u8]>| BASE64URL.encode(bytes.unwrap_or_default());
                let (x, y) = (point.x().map(|x| x.as_slice()), point.y().map(|y| y.as_slice()));
                ("EC", "P-256", part(x), Some(part(y)))
            }
        };
        PublicJwk { kty: kty.to_owned(), crv: crv.to_owned(), x, y }
    }

    /// Whether this key made the signature of a text.
    pub fn signed(&self, text: &str, signature: &Signature) -> bool {
        match self {
            Self::Ed25519(key) => {
                UnparsedPublicKey::new(&ED25519, key).verify(text.as_bytes(), signature.bytes()).is_ok()
            }
            Self::P256(key) => {
                signature.ecdsa().is_some_and(|signature| key.verify(text.as_bytes(), &signature).is_ok())
            }
        }
    }

    fn from_point(point: &[u8]) -> Result<Self, InvalidKey> {
        VerifyingKey::from_sec1_bytes(point).map(|key| Self::P256(Box::new(key))).map_err(|_| InvalidKey)
    }
}

/// Bytes in DER: two integers of 33 bytes, each with its header, in a sequence.
const MAX_SIGNATURE_BYTES: usize = 72;

/// A signature as a caller sends it. The length of the signature decides its form. 64 bytes are the plain form, for both
/// kinds of keys. Any other length is the DER form, which OpenSSL writes for P-256.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature(Vec<u8>);

impl Signature {
    /// Parses hexadecimal, base64url or base64; `None` for a text that cannot be a signature.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_hex = text.len() == 128 || (text.len() > 128 && text.len() <= 2 * MAX_SIGNATURE_BYTES);
        let bytes = from_hex(text).filter(|_| is_hex);
        let bytes = bytes
            .or_else(|| BASE64URL.decode(text.trim_end_matches('=')).ok())
            .or_else(|| BASE64.decode(text).ok())?;
        (8..=MAX_SIGNATURE_BYTES).contains(&bytes.len()).then_some(Self(bytes))
    }

    fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn ecdsa(&self) -> Option<p256::ecdsa::Signature> {
        let plain = || p256::ecdsa::Signature::from_slice(&self.0).ok();
        if self.0.len() == 64 { plain() } else { p256::ecdsa::Signature::from_der(&self.0).ok() }
    }
}

#[cfg(test)]
mod tests;
