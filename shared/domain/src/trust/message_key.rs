//! The Ed25519 key that signs HTTP messages (RFC 9421; draft-meunier-webbotauth-httpsig-directory). It is
//! created when it is first needed, and is stored in the table. It is not used for anything else, so that
//! nobody can use its signatures as attestations.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD as BASE64, URL_SAFE_NO_PAD as BASE64URL};
use ed25519_dalek::{Signer as _, SigningKey};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::keys::Unreadable;
use registry_app::App;
use registry_app::domain_keys::PublicKey;
use registry_model::Moment;
use registry_model::error::Problem;
use registry_store::StoredKey;

/// How long a signature over the directory is valid.
const SIGNATURE_LIFE_S: i64 = 86_400;

/// A public Ed25519 key (RFC 8037).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ed25519Jwk {
    kty: &'static str,
    crv: &'static str,
    x: String,
    kid: String,
    #[serde(rename = "use")]
    usage: &'static str,
}

pub struct MessageKey(SigningKey);

/// The two headers of a signed message (RFC 9421 §4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageSignature {
    pub input: String,
    pub signature: String,
}

impl MessageKey {
    pub fn public(&self) -> Ed25519Jwk {
        let x = BASE64URL.encode(self.0.verifying_key().as_bytes());
        Ed25519Jwk { kty: "OKP", crv: "Ed25519", kid: thumbprint(&x), x, usage: "sig" }
    }

    /// The public half as a key of the domain; its record proves the domain to the official registry.
    pub fn domain_key(&self) -> PublicKey {
        PublicKey::Ed25519(*self.0.verifying_key().as_bytes())
    }

    /// The public half in base64, the form used in DNS records.
    pub fn public_base64(&self) -> String {
        BASE64.encode(self.0.verifying_key().as_bytes())
    }

    /// Signs the answer that contains this key for a request to `authority`, so that a copy at another host can be
    /// recognized.
    pub fn sign_directory(&self, authority: &str, now: Moment) -> MessageSignature {
        let created = now.as_second();
        let parameters = format!(
            "(\"@authority\";req);created={created};expires={};keyid=\"{}\";alg=\"ed25519\";\
             tag=\"http-message-signatures-directory\"",
            created + SIGNATURE_LIFE_S,
            self.public().kid,
        );
        // RFC 9421 §2.5.
        let base = format!("\"@authority\";req: {authority}\n\"@signature-params\": {parameters}");
        let signature = BASE64.encode(self.0.sign(base.as_bytes()).to_bytes());
        MessageSignature {
            input: format!("binding0={parameters}"),
            signature: format!("binding0=:{signature}:"),
        }
    }

    fn read(stored: &StoredKey) -> Result<Self, Unreadable> {
        let bytes = BASE64URL.decode(&stored.secret).map_err(|_| Unreadable)?;
        let bytes: [u8; 32] = bytes.try_into().map_err(|_| Unreadable)?;
        Ok(Self(SigningKey::from_bytes(&bytes)))
    }
}

/// RFC 8037 appendix A.3: the digest of the required members in the order of their names.
fn thumbprint(x: &str) -> String {
    BASE64URL.encode(Sha256::digest(format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#)))
}

/// The key; created if there is none.
pub async fn message_key(app: &App) -> Result<MessageKey, Problem> {
    if let Some(stored) = app.store.message_key().await? {
        return Ok(MessageKey::read(&stored)?);
    }
    let new = MessageKey(SigningKey::from_bytes(&app.random.bytes()));
    let secret = BASE64URL.encode(new.0.as_bytes());
    app.store
        .keep_message_key(&StoredKey { kid: new.public().kid, secret, made_at: app.clock.now() })
        .await?;
    // Another process may have stored its key first.
    let stored = app.store.message_key().await?.ok_or(Unreadable)?;
    Ok(MessageKey::read(&stored)?)
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::Signature;

    use super::*;
    use registry_model::Random;

    #[test]
    fn thumbprint_matches_the_rfc() {
        // RFC 8037 appendix A.3.
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
        assert_eq!(thumbprint(x), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }

    #[test]
    fn directory_signature_is_valid_for_one_authority() {
        let key = MessageKey(SigningKey::from_bytes(&Random::seeded(1).bytes()));
        let MessageSignature { input, signature } =
            key.sign_directory("registry.example.org", Moment::UNIX_EPOCH);
        let kid = key.public().kid;
        let parameters = format!(
            r#"("@authority";req);created=0;expires=86400;keyid="{kid}";alg="ed25519";tag="http-message-signatures-directory""#
        );
        assert_eq!(input, format!("binding0={parameters}"));
        let signature =
            BASE64.decode(signature.trim_start_matches("binding0=:").trim_end_matches(':')).unwrap();
        let signature = Signature::from_slice(&signature).unwrap();
        let verified = |authority: &str| {
            let base = format!("\"@authority\";req: {authority}\n\"@signature-params\": {parameters}");
            key.0.verifying_key().verify_strict(base.as_bytes(), &signature).is_ok()
        };
        assert!(verified("registry.example.org"));
        assert!(!verified("registry.example.com"));
    }
}
