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
use super::private_key::{self, Private};
use registry_app::App;
use registry_app::domain_keys::PublicKey;
use registry_app::key_service::Algorithm;
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

pub struct MessageKey {
    private: Private<SigningKey>,
    public: [u8; 32],
}

/// The two headers of a signed message (RFC 9421 §4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageSignature {
    pub input: String,
    pub signature: String,
}

impl MessageKey {
    pub fn public(&self) -> Ed25519Jwk {
        let x = BASE64URL.encode(self.public);
        Ed25519Jwk { kty: "OKP", crv: "Ed25519", kid: thumbprint(&x), x, usage: "sig" }
    }

    /// The public half as a key of the domain; its record proves the domain to the official registry.
    pub fn domain_key(&self) -> PublicKey {
        PublicKey::Ed25519(self.public)
    }

    /// The public half in base64, the form used in DNS records.
    pub fn public_base64(&self) -> String {
        BASE64.encode(self.public)
    }

    /// Signs the answer that contains this key for a request to `authority`, so that a copy at another host can be
    /// recognized.
    pub async fn sign_directory(&self, app: &App, authority: &str) -> Result<MessageSignature, Problem> {
        let (parameters, base) = self.directory_base(authority, app.clock.now());
        let signature = match &self.private {
            Private::Table(key) => key.sign(base.as_bytes()).to_bytes().to_vec(),
            Private::Service(id) => {
                private_key::sign(app.key_service.as_deref(), id, Algorithm::Ed25519, base.as_bytes()).await?
            }
        };
        Ok(MessageSignature {
            input: format!("binding0={parameters}"),
            signature: format!("binding0=:{}:", BASE64.encode(signature)),
        })
    }

    /// The parameters of the signature, and the text that is signed.
    fn directory_base(&self, authority: &str, now: Moment) -> (String, String) {
        let created = now.as_second();
        let parameters = format!(
            "(\"@authority\";req);created={created};expires={};keyid=\"{}\";alg=\"ed25519\";\
             tag=\"http-message-signatures-directory\"",
            created + SIGNATURE_LIFE_S,
            self.public().kid,
        );
        // RFC 9421 §2.5.
        let base = format!("\"@authority\";req: {authority}\n\"@signature-params\": {parameters}");
        (parameters, base)
    }

    fn read(stored: &StoredKey) -> Result<Self, Unreadable> {
        if let Some((id, public)) = private_key::in_service(stored)? {
            return Ok(Self { private: Private::Service(id), public: ed25519(&public)? });
        }
        let bytes = BASE64URL.decode(&stored.secret).map_err(|_| Unreadable)?;
        let bytes: [u8; 32] = bytes.try_into().map_err(|_| Unreadable)?;
        let key = SigningKey::from_bytes(&bytes);
        Ok(Self { public: *key.verifying_key().as_bytes(), private: Private::Table(key) })
    }
}

pub(super) fn ed25519(key: &PublicKey) -> Result<[u8; 32], Unreadable> {
    match key {
        PublicKey::Ed25519(key) => Ok(*key),
        PublicKey::P256(_) => Err(Unreadable),
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
    let kid = |public: &[u8; 32]| thumbprint(&BASE64URL.encode(public));
    let new = match &app.settings.message_key_id {
        Some(id) => private_key::from_service(app, id, |public| Ok(kid(&ed25519(public)?))).await?,
        None => {
            let key = SigningKey::from_bytes(&app.random.bytes());
            let (kid, secret) = (kid(key.verifying_key().as_bytes()), BASE64URL.encode(key.as_bytes()));
            StoredKey { kid, secret, public: None, made_at: app.clock.now() }
        }
    };
    app.store.keep_message_key(&new).await?;
    // Another process may have stored its key first.
    let stored = app.store.message_key().await?.ok_or(Unreadable)?;
    Ok(MessageKey::read(&stored)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::Random;

    #[test]
    fn thumbprint_matches_the_rfc() {
        // RFC 8037 appendix A.3.
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
        assert_eq!(thumbprint(x), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }

    #[test]
    fn signed_text_of_the_directory_names_its_authority() {
        let key = SigningKey::from_bytes(&Random::seeded(1).bytes());
        let key = MessageKey { public: *key.verifying_key().as_bytes(), private: Private::Table(key) };
        let (parameters, base) = key.directory_base("registry.example.org", Moment::UNIX_EPOCH);
        let kid = key.public().kid;
        assert_eq!(
            parameters,
            format!(
                r#"("@authority";req);created=0;expires=86400;keyid="{kid}";alg="ed25519";tag="http-message-signatures-directory""#
            )
        );
        assert_eq!(
            base,
            format!("\"@authority\";req: registry.example.org\n\"@signature-params\": {parameters}")
        );
    }
}
