//! Credentials that owners give to the registry, so that a probe can complete the handshake of a server that asks for a
//! sign-in. A credential is encrypted as soon as it arrives. The key is in a key service, where only the functions that probe
//! may decrypt; without a key service, it is in the table, and only these functions may read the encrypted credentials.
//!
//! A credential is sent to one origin only, in the header `Authorization` of the requests of a probe.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::App;
use crate::key_service::{KeyService, KeyServiceError};
use registry_fetch::Target;
use registry_model::error::Problem;
use registry_model::{ListingId, Reach, SealedCredential, Secret};
use registry_store::{StoreError, StoredKey};

/// Characters of a credential. A key of KMS encrypts at most 4,096 bytes.
pub const MAX_CREDENTIAL_CHARS: usize = 4000;

/// Shorter credentials could be guessed by trying.
pub const MIN_CREDENTIAL_CHARS: usize = 16;

/// A bearer token, and the origin to which it may be sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Credential {
    origin: String,
    token: Secret,
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").field("origin", &self.origin).finish_non_exhaustive()
    }
}

/// Why a credential cannot be encrypted or read.
#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Service(#[from] KeyServiceError),
    #[error("the key of this credential is in a key service, but this process has none")]
    NoService,
    #[error("the stored credential or its key is damaged")]
    Damaged,
}

impl From<CredentialError> for Problem {
    fn from(error: CredentialError) -> Self {
        match error {
            CredentialError::Store(error) => error.into(),
            CredentialError::Service(error) => Self::unavailable(error.to_string()),
            CredentialError::NoService | CredentialError::Damaged => Self::fault(error.to_string()),
        }
    }
}

impl Credential {
    pub const fn new(origin: String, token: Secret) -> Self {
        Self { origin, token }
    }

    /// The token, if it may be sent to this target.
    pub fn token_for(&self, target: &Target, reach: Reach) -> Option<&Secret> {
        let is_safe = target.url().scheme() == "https" || reach == Reach::Development;
        (is_safe && target.origin() == self.origin).then_some(&self.token)
    }
}

impl App {
    /// Encrypts the credential of a listing.
    pub async fn seal_credential(
        &self,
        id: &ListingId,
        credential: &Credential,
    ) -> Result<SealedCredential, CredentialError> {
        let (origin, token) = (&credential.origin, credential.token.reveal().as_bytes());
        let (sealed, key) = match &self.settings.credential_key_id {
            Some(key) => {
                let context = [("listing_id", id.as_str()), ("origin", origin.as_str())];
                (service(self)?.encrypt(key, &context, token).await?, Some(key.clone()))
            }
            None => {
                let key = self.table_key().await?;
                let nonce: [u8; NONCE_LEN] = self.random.bytes();
                (seal(&key, nonce, &bound_to(id, origin), token).ok_or(CredentialError::Damaged)?, None)
            }
        };
        let sealed = BASE64URL.encode(sealed);
        Ok(SealedCredential { origin: origin.clone(), sealed, key, at: self.clock.now() })
    }

    /// The credential of a listing; `None` if none is stored. Only functions that probe have the right to read it.
    pub async fn open_credential(&self, id: &ListingId) -> Result<Option<Credential>, CredentialError> {
        let Some(stored) = self.store.credential(id).await? else { return Ok(None) };
        let sealed = BASE64URL.decode(&stored.sealed).map_err(|_| CredentialError::Damaged)?;
        let token = match &stored.key {
            Some(key) => {
                let context = [("listing_id", id.as_str()), ("origin", stored.origin.as_str())];
                service(self)?.decrypt(key, &context, &sealed).await?
            }
            None => {
                let key = self.store.credential_key().await?.ok_or(CredentialError::Damaged)?;
                let opened = open(&bytes_of(&key)?, &bound_to(id, &stored.origin), sealed);
                opened.ok_or(CredentialError::Damaged)?
            }
        };
        let token = String::from_utf8(token).map_err(|_| CredentialError::Damaged)?;
        Ok(Some(Credential { origin: stored.origin, token: Secret::new(token) }))
    }

    /// The key in the table; created if there is none.
    async fn table_key(&self) -> Result<[u8; 32], CredentialError> {
        if let Some(key) = self.store.credential_key().await? {
            return bytes_of(&key);
        }
        let secret = BASE64URL.encode(self.random.bytes::<32>());
        let new = StoredKey { kid: "1".to_owned(), secret, public: None, made_at: self.clock.now() };
        self.store.keep_credential_key(&new).await?;
        // Another process may have stored its key first.
        bytes_of(&self.store.credential_key().await?.ok_or(CredentialError::Damaged)?)
    }
}

fn service(app: &App) -> Result<&dyn KeyService, CredentialError> {
    app.key_service.as_deref().ok_or(CredentialError::NoService)
}

fn bytes_of(key: &StoredKey) -> Result<[u8; 32], CredentialError> {
    let bytes = BASE64URL.decode(&key.secret).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or(CredentialError::Damaged)
}

/// A sealed credential of another listing, or for another origin, cannot be opened.
fn bound_to(id: &ListingId, origin: &str) -> String {
    format!("credential\n{id}\n{origin}")
}

/// The nonce, then the encrypted text with its tag.
fn seal(key: &[u8; 32], nonce: [u8; NONCE_LEN], bound_to: &str, plain: &[u8]) -> Option<Vec<u8>> {
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key).ok()?);
    let mut text = plain.to_vec();
    let nonce_of = Nonce::assume_unique_for_key(nonce);
    key.seal_in_place_append_tag(nonce_of, Aad::from(bound_to.as_bytes()), &mut text).ok()?;
    Some([nonce.as_slice(), &text].concat())
}

fn open(key: &[u8; 32], bound_to: &str, mut sealed: Vec<u8>) -> Option<Vec<u8>> {
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key).ok()?);
    let (nonce, text) = sealed.split_first_chunk_mut::<NONCE_LEN>()?;
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let plain = key.open_in_place(nonce, Aad::from(bound_to.as_bytes()), text).ok()?;
    Some(plain.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_credential_opens_only_for_its_listing_and_origin() {
        let (key, other) = ([7; 32], [8; 32]);
        let id: ListingId = "mcp-a".parse().unwrap();
        let place = bound_to(&id, "https://a.example.org:443");
        let sealed = seal(&key, [1; NONCE_LEN], &place, b"token").unwrap();
        assert!(!sealed.windows(5).any(|window| window == b"token"));
        assert_eq!(open(&key, &place, sealed.clone()).as_deref(), Some(b"token".as_slice()));
        let elsewhere = bound_to(&id, "https://b.example.org:443");
        assert_eq!(open(&key, &elsewhere, sealed.clone()), None);
        assert_eq!(open(&other, &place, sealed.clone()), None);
        assert_eq!(open(&key, &place, sealed[..8].to_vec()), None);
    }

    #[test]
    fn token_is_sent_only_to_its_origin_over_https() {
        let credential = |origin: &str| Credential::new(origin.to_owned(), Secret::new("t".to_owned()));
        let target = |url: &str, reach| Target::parse(url, reach).unwrap();
        let public = credential("https://a.example.org:443");
        let sent = |url: &str| public.token_for(&target(url, Reach::Public), Reach::Public).is_some();
        assert!(sent("https://a.example.org/mcp") && sent("https://A.example.org:443/other"));
        assert!(!sent("https://a.example.org:8443/mcp") && !sent("https://b.example.org/mcp"));
        let local = credential("http://127.0.0.1:80");
        let at = target("http://127.0.0.1/mcp", Reach::Development);
        assert!(local.token_for(&at, Reach::Development).is_some());
        assert!(local.token_for(&at, Reach::Public).is_none(), "plain http");
        assert!(!format!("{public:?}").contains("\"t\""));
    }
}
