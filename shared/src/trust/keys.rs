//! The ES256 keys of this registry (design §5 Keys): made on first need, kept in the table, rotated by adding one.
//! The newest signs; all are published, so that what an older one signed can still be verified.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::error::Problem;
use crate::model::{Moment, Random};
use crate::store::{KeptKey, StoreError};

/// A public key as RFC 7517 writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Jwk {
    kty: &'static str,
    crv: &'static str,
    x: String,
    y: String,
    kid: String,
    alg: &'static str,
    #[serde(rename = "use")]
    usage: &'static str,
}

/// The key set (RFC 7517 §5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeySet {
    keys: Vec<Jwk>,
}

/// A key that can sign.
pub struct SignKey {
    key: SigningKey,
    kid: String,
}

/// A stored key that is none.
#[derive(Debug, thiserror::Error)]
#[error("a stored key cannot be read")]
pub struct Unreadable;

impl From<Unreadable> for Problem {
    fn from(error: Unreadable) -> Self {
        Self::fault(error.to_string())
    }
}

impl SignKey {
    /// Its id: the JWK thumbprint (RFC 7638).
    #[must_use]
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// A JWS signature over `protected.payload` (RFC 7515 §5.1), base64url; the same input gives the same.
    #[must_use]
    pub fn sign(&self, signing_input: &str) -> String {
        let signature: Signature = self.key.sign(signing_input.as_bytes());
        BASE64URL.encode(signature.to_bytes())
    }

    fn read(kept: &KeptKey) -> Result<Self, Unreadable> {
        let bytes = BASE64URL.decode(&kept.secret).map_err(|_| Unreadable)?;
        let key = SigningKey::from_slice(&bytes).map_err(|_| Unreadable)?;
        Ok(Self { kid: kept.kid.clone(), key })
    }

    fn new(random: &Random) -> Result<Self, Unreadable> {
        // Fewer than one in 2^32 draws is no key; one that fails thrice is a broken generator.
        let drawn = (0..3).find_map(|_| SigningKey::from_slice(&random.bytes::<32>()).ok());
        let mut key = Self { key: drawn.ok_or(Unreadable)?, kid: String::new() };
        key.kid = thumbprint(&key.public());
        Ok(key)
    }

    fn public(&self) -> Jwk {
        let point = self.key.verifying_key().to_sec1_point(false);
        let part = |bytes: Option<&[u8]>| BASE64URL.encode(bytes.unwrap_or_default());
        Jwk {
            kty: "EC",
            crv: "P-256",
            x: part(point.x().map(|x| x.as_slice())),
            y: part(point.y().map(|y| y.as_slice())),
            kid: self.kid.clone(),
            alg: "ES256",
            usage: "sig",
        }
    }
}

/// RFC 7638: the digest of the required members in the order of their names.
fn thumbprint(jwk: &Jwk) -> String {
    let members = format!(r#"{{"crv":"{}","kty":"{}","x":"{}","y":"{}"}}"#, jwk.crv, jwk.kty, jwk.x, jwk.y);
    BASE64URL.encode(Sha256::digest(members))
}

/// The key that signs now; made here where there is none yet.
///
/// # Errors
/// The table is busy, or holds something that is no key.
pub async fn signing(app: &App) -> Result<SignKey, Problem> {
    let kept = kept(app).await?;
    let newest = kept.iter().max_by_key(|key| key.made_at).ok_or(Unreadable)?;
    Ok(SignKey::read(newest)?)
}

/// Every published key.
///
/// # Errors
/// The table is busy, or holds something that is no key.
pub async fn published(app: &App) -> Result<KeySet, Problem> {
    let kept = kept(app).await?;
    let keys = kept.iter().map(|key| Ok(SignKey::read(key)?.public())).collect::<Result<_, Unreadable>>()?;
    Ok(KeySet { keys })
}

/// The stored keys. The very first is made under a condition, so that two functions that start at once agree.
async fn kept(app: &App) -> Result<Vec<KeptKey>, Problem> {
    let kept = app.store.signing_keys().await?;
    if !kept.is_empty() {
        return Ok(kept);
    }
    let first = first(&app.random, app.clock.now())?;
    app.store.keep_first_signing_key(&first).await?;
    let kept: Result<Vec<KeptKey>, StoreError> = app.store.signing_keys().await;
    Ok(kept?)
}

fn first(random: &Random, now: Moment) -> Result<KeptKey, Unreadable> {
    let key = SignKey::new(random)?;
    Ok(KeptKey { kid: key.kid.clone(), secret: BASE64URL.encode(key.key.to_bytes()), made_at: now })
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::VerifyingKey;
    use p256::ecdsa::signature::Verifier as _;

    use super::*;

    #[test]
    fn a_kept_key_signs_what_its_public_half_verifies() {
        let kept = first(&Random::seeded(1), Moment::UNIX_EPOCH).unwrap();
        let key = SignKey::read(&kept).unwrap();
        assert_eq!(key.kid(), kept.kid);
        let signature = BASE64URL.decode(key.sign("a.b")).unwrap();
        let public: VerifyingKey = *key.key.verifying_key();
        public.verify(b"a.b", &Signature::from_slice(&signature).unwrap()).unwrap();
        assert!(public.verify(b"a.c", &Signature::from_slice(&signature).unwrap()).is_err());
        assert_eq!(key.sign("a.b"), key.sign("a.b"));
        let jwk = key.public();
        assert_eq!((jwk.x.len(), jwk.y.len(), jwk.kid.len()), (43, 43, 43));
    }
}
