//! A signature as a caller sends it. The length of the signature decides its form. 64 bytes are the plain
//! form, for both kinds of keys. Any other length is the DER form, which OpenSSL writes for P-256.

use crate::prelude::*;
use registry_model::from_hex;

/// Bytes in DER: two integers of 33 bytes, each with its header, in a sequence.
const MAX_BYTES: usize = 72;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature(Vec<u8>);

impl Signature {
    /// Parses hexadecimal, base64url or base64; `None` for a text that cannot be a signature.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_hex = text.len() == 128 || (text.len() > 128 && text.len() <= 2 * MAX_BYTES);
        let bytes = from_hex(text).filter(|_| is_hex);
        let bytes = bytes
            .or_else(|| BASE64URL.decode(text.trim_end_matches('=')).ok())
            .or_else(|| BASE64.decode(text).ok())?;
        (8..=MAX_BYTES).contains(&bytes.len()).then_some(Self(bytes))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn ecdsa(&self) -> Option<p256::ecdsa::Signature> {
        let plain = || p256::ecdsa::Signature::from_slice(&self.0).ok();
        if self.0.len() == 64 { plain() } else { p256::ecdsa::Signature::from_der(&self.0).ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_text_is_parsed() {
        assert_eq!(from_hex("00fF"), Some(vec![0, 255]));
        for text in ["0", "0g", "+1", "é"] {
            assert_eq!(from_hex(text), None, "{text}");
        }
    }

    #[test]
    fn every_encoding_gives_the_same_signature() {
        let bytes: Vec<u8> = (100..164).collect();
        let hex = registry_model::hex(&bytes);
        let read = Some(Signature(bytes.clone()));
        for text in [hex, BASE64URL.encode(&bytes), BASE64.encode(&bytes)] {
            assert_eq!(Signature::parse(&text), read, "{text}");
        }
        for text in ["", "AAAA", "not a signature", &"A".repeat(200)] {
            assert_eq!(Signature::parse(text), None, "{text}");
        }
    }
}
