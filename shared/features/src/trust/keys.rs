//! The ES256 keys of this registry (`specification.md#keys`). A key is created when it is first needed, and
//! is stored in the table; with the setting `SIGNING_KEY_ID`, its private half is in a key service. The operator rotates keys: this adds a new key. A new key is published before the
//! registry signs with it. An old key stays published until everything that it signed has expired.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use jiff::SignedDuration;
use p256::ecdsa::signature::{Signer as _, Verifier as _};
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};

use crate::prelude::*;
use registry_app::domain_keys::PublicKey;
use registry_app::private_key::{self, Algorithm, Private, Unreadable};
use registry_model::{PublicJwk, Random};
use registry_store::StoredKey;

/// The longest life of anything signed; cards are signed again for each request.
const MAX_LIFETIME: SignedDuration = SignedDuration::from_hours(720);
/// How long a new key is published before it signs, so that clients that cache the key set have it.
const PUBLISHED_BEFORE: SignedDuration = SignedDuration::from_hours(1);
/// How long an old key stays published after what it signed has expired, for clocks that differ.
const MARGIN: SignedDuration = SignedDuration::from_hours(24);

pub struct SignKey {
    private: Private<SigningKey>,
    public: VerifyingKey,
    kid: String,
}

#[derive(Clone, Debug)]
pub struct VerifyKey(VerifyingKey);

impl VerifyKey {
    pub fn signed(&self, text: &str, signature: &[u8]) -> bool {
        let signature = Signature::from_slice(signature);
        signature.is_ok_and(|signature| self.0.verify(text.as_bytes(), &signature).is_ok())
    }
}

impl SignKey {
    /// The JWK thumbprint (RFC 7638).
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// A JWS signature over `protected.payload` (RFC 7515 §5.1), base64url. Deterministic for a key in the table.
    pub async fn sign(&self, app: &App, signing_input: &str) -> Result<String, Problem> {
        let signature: Signature = match &self.private {
            Private::Table(key) => key.sign(signing_input.as_bytes()),
            Private::Service(id) => {
                let der = private_key::sign_in_service(
                    app.key_service.as_deref(),
                    id,
                    Algorithm::Es256,
                    signing_input.as_bytes(),
                )
                .await?;
                Signature::from_der(&der).map_err(Problem::fault)?
            }
        };
        Ok(BASE64URL.encode(signature.to_bytes()))
    }

    fn read(stored: &StoredKey) -> Result<Self, Unreadable> {
        let kid = stored.kid.clone();
        if let Some((id, public)) = private_key::in_service(stored)? {
            return Ok(Self { private: Private::Service(id), public: p256(&public)?, kid });
        }
        let bytes = BASE64URL.decode(&stored.secret).map_err(|_| Unreadable)?;
        let key = SigningKey::from_slice(&bytes).map_err(|_| Unreadable)?;
        Ok(Self { public: *key.verifying_key(), private: Private::Table(key), kid })
    }

    /// The public half (RFC 7517).
    fn public(&self) -> Value {
        let PublicJwk { kty, crv, x, y } = public_jwk(&self.public);
        json!({ "kty": kty, "crv": crv, "x": x, "y": y, "kid": self.kid, "alg": "ES256", "use": "sig" })
    }
}

fn p256(key: &PublicKey) -> Result<VerifyingKey, Unreadable> {
    match key {
        PublicKey::P256(key) => Ok(**key),
        PublicKey::Ed25519(_) => Err(Unreadable),
    }
}

fn public_jwk(key: &VerifyingKey) -> PublicJwk {
    PublicKey::P256(Box::new(*key)).jwk()
}

/// The key that signs now; created if there is none that this registry can use.
pub async fn signing(app: &App) -> Result<SignKey, Problem> {
    let mut usable = stored_keys(app).await?;
    usable.retain(|key| !key.is_left_behind());
    if let Some(key) = signer(&usable, app.clock.now()) {
        return Ok(SignKey::read(key)?);
    }
    // The table was moved without its key service.
    let new = new_key(app).await?;
    app.store.keep_signing_key(&new).await?;
    Ok(SignKey::read(&new)?)
}

/// The key set (RFC 7517 §5).
pub async fn published(app: &App) -> Result<Value, Problem> {
    let (stored, now) = (stored_keys(app).await?, app.clock.now());
    let shown = stored.iter().filter(|key| is_published(key, &stored, now));
    let keys = shown.map(|key| Ok(SignKey::read(key)?.public())).collect::<Result<Vec<_>, Unreadable>>()?;
    Ok(json!({ "keys": keys }))
}

pub async fn verifier(app: &App, kid: &str) -> Result<Option<VerifyKey>, Problem> {
    let (stored, now) = (stored_keys(app).await?, app.clock.now());
    let found = stored.iter().find(|key| key.kid == kid && is_published(key, &stored, now));
    Ok(found.map(SignKey::read).transpose()?.map(|key| VerifyKey(key.public)))
}

/// Adds a key; returns its id and the time from which it signs. Error: 409 if the key service still has the same key.
pub async fn rotate(app: &App) -> Result<(String, Moment), Problem> {
    let stored = stored_keys(app).await?;
    let next = new_key(app).await?;
    if stored.iter().any(|key| key.kid == next.kid) {
        return Err(private_key::same_key("SIGNING_KEY_ID"));
    }
    app.store.keep_signing_key(&next).await?;
    Ok((next.kid.clone(), signs_from(&next)))
}

fn signs_from(key: &StoredKey) -> Moment {
    key.made_at + PUBLISHED_BEFORE
}

/// The newest key that has been published for long enough; the very first one signs at once.
fn signer(stored: &[StoredKey], now: Moment) -> Option<&StoredKey> {
    let known = stored.iter().filter(|key| signs_from(key) <= now).max_by_key(|key| key.made_at);
    known.or_else(|| stored.iter().min_by_key(|key| key.made_at))
}

/// Whether anything the key signed may still be valid, or the key has yet to sign.
fn is_published(key: &StoredKey, stored: &[StoredKey], now: Moment) -> bool {
    let next = stored.iter().filter(|other| other.made_at > key.made_at).map(signs_from).min();
    next.is_none_or(|stopped| now <= stopped + MAX_LIFETIME + MARGIN)
}

/// The very first key is stored with a condition, so that two functions that start at once agree.
async fn stored_keys(app: &App) -> Result<Vec<StoredKey>, Problem> {
    let stored = app.store.signing_keys().await?;
    if !stored.is_empty() {
        return Ok(stored);
    }
    let first = new_key(app).await?;
    app.store.keep_first_signing_key(&first).await?;
    Ok(app.store.signing_keys().await?)
}

async fn new_key(app: &App) -> Result<StoredKey, Problem> {
    match &app.settings.signing_key_id {
        Some(id) => {
            private_key::from_service(app, id, |public| Ok(public_jwk(&p256(public)?).thumbprint())).await
        }
        None => Ok(key_for_table(&app.random, app.clock.now())?),
    }
}

fn key_for_table(random: &Random, now: Moment) -> Result<StoredKey, Unreadable> {
    // Fewer than one in 2^32 draws is not a key; three failures mean a broken generator.
    let drawn = (0..3).find_map(|_| SigningKey::from_slice(&random.bytes::<32>()).ok());
    let key = drawn.ok_or(Unreadable)?;
    let (kid, secret) = (public_jwk(key.verifying_key()).thumbprint(), BASE64URL.encode(key.to_bytes()));
    Ok(StoredKey { kid, secret, public: None, made_at: now })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_published_before_its_first_use_and_until_its_signatures_expire() {
        let random = Random::seeded(1);
        let at = |hours: i64| Moment::UNIX_EPOCH + SignedDuration::from_hours(hours);
        let keys: Vec<StoredKey> = [0, 100].map(|hours| key_for_table(&random, at(hours)).unwrap()).into();
        let signs = |hours| signer(&keys, at(hours)).unwrap().made_at;
        assert_eq!(
            (signer(&keys[..1], at(0)).unwrap().made_at, signs(100), signs(101)),
            (at(0), at(0), at(100))
        );
        let shown = |hours| keys.iter().filter(|key| is_published(key, &keys, at(hours))).count();
        // The last signature of the first key, an hour after the second was created, is valid for 720 hours.
        assert_eq!(
            (shown(100), shown(101 + 720), shown(101 + 720 + 24), shown(101 + 720 + 25)),
            (2, 2, 2, 1)
        );
        assert!(signer(&[], at(0)).is_none());
    }
}
