//! The Ed25519 key that signs HTTP messages (RFC 9421): the directory with its public half
//! (draft-meunier-webbotauth-httpsig-directory), and the requests of probes (draft-ietf-webbotauth-httpsig-protocol). It is
//! created when it is first needed, and is stored in the table. It is not used for anything else, so that
//! nobody can use its signatures as attestations.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ed25519_dalek::{Signer as _, SigningKey};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::sync::Mutex;
use url::Url;

use crate::domain_keys::PublicKey;
use crate::prelude::*;
use crate::private_key::{self, Algorithm, Private, Unreadable};
use registry_fetch::Signer;
use registry_model::cache::CachedValue;
use registry_store::StoredKey;

/// How long a signature over the directory is valid.
const SIGNATURE_LIFE_S: i64 = 86_400;
/// How long a signature over a request is valid. The clock of the server may be this much ahead.
const REQUEST_SIGNATURE_LIFE_S: i64 = 300;
/// A process reads the key again after this time, so that it follows when the operator replaces the key.
const KEY_LIFE_MS: i64 = 10 * 60 * 1000;
/// After a failure, a process tries again after this time. Until then, requests are not signed.
const RETRY_MS: i64 = 60 * 1000;
/// A request does not wait longer for the key and its signature. It is then sent without a signature.
const MAX_SIGNING_TIME: Duration = Duration::from_secs(1);
/// The name of the signature in the headers.
const LABEL: &str = "sig1";

pub struct MessageKey {
    private: Private<SigningKey>,
    public: [u8; 32],
}

impl fmt::Debug for MessageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageKey").field("public", &self.public_base64()).finish_non_exhaustive()
    }
}

impl MessageKey {
    /// The public half as a JWK (RFC 8037).
    pub fn public(&self) -> Value {
        let jwk = self.domain_key().jwk();
        json!({ "kty": jwk.kty, "crv": jwk.crv, "x": jwk.x, "kid": jwk.thumbprint(), "use": "sig" })
    }

    /// The public half as a key of the domain; its record proves the domain to the official registry.
    pub fn domain_key(&self) -> PublicKey {
        PublicKey::Ed25519(self.public)
    }

    /// The public half in base64, the form used in DNS records.
    pub fn public_base64(&self) -> String {
        BASE64.encode(self.public)
    }

    async fn sign(&self, app: &App, base: &str) -> Result<String, Problem> {
        let signature = match &self.private {
            Private::Table(key) => key.sign(base.as_bytes()).to_bytes().to_vec(),
            Private::Service(id) => {
                private_key::sign_in_service(
                    app.key_service.as_deref(),
                    id,
                    Algorithm::Ed25519,
                    base.as_bytes(),
                )
                .await?
            }
        };
        Ok(BASE64.encode(signature))
    }

    /// Signs a request of this registry to `authority`: the headers `signature-agent`, `signature-input` and `signature`.
    async fn sign_request(&self, app: &App, authority: &str) -> Result<[(&'static str, String); 3], Problem> {
        let agent = Url::parse(&app.settings.base_url).map_err(Problem::fault)?;
        let agent = agent.origin().ascii_serialization();
        let nonce = BASE64.encode(app.random.bytes::<64>());
        let (parameters, base) = self.request_base(authority, &agent, &nonce, app.clock.now());
        let signature = self.sign(app, &base).await?;
        Ok([
            ("signature-agent", format!("{LABEL}=\"{agent}\"")),
            ("signature-input", format!("{LABEL}={parameters}")),
            ("signature", format!("{LABEL}=:{signature}:")),
        ])
    }

    /// The parameters of the signature over a request, and the text that is signed.
    fn request_base(&self, authority: &str, agent: &str, nonce: &str, now: Moment) -> (String, String) {
        let created = now.as_second();
        let parameters = format!(
            "(\"@authority\" \"signature-agent\";key=\"{LABEL}\");created={created};expires={};keyid=\"{}\";\
             alg=\"ed25519\";nonce=\"{nonce}\";tag=\"web-bot-auth\"",
            created + REQUEST_SIGNATURE_LIFE_S,
            self.domain_key().jwk().thumbprint(),
        );
        // RFC 9421 §2.5.
        let base = format!(
            "\"@authority\": {authority}\n\"signature-agent\";key=\"{LABEL}\": \"{agent}\"\n\
             \"@signature-params\": {parameters}"
        );
        (parameters, base)
    }

    /// Signs the answer that contains this key for a request to `authority`, so that a copy at another host can be
    /// recognized: the headers of the signature (RFC 9421 §4).
    pub async fn sign_directory(
        &self,
        app: &App,
        authority: &str,
    ) -> Result<Vec<(&'static str, String)>, Problem> {
        let (parameters, base) = self.directory_base(authority, app.clock.now());
        let signature = format!("binding0=:{}:", self.sign(app, &base).await?);
        Ok(vec![("signature-input", format!("binding0={parameters}")), ("signature", signature)])
    }

    /// The parameters of the signature, and the text that is signed.
    fn directory_base(&self, authority: &str, now: Moment) -> (String, String) {
        let created = now.as_second();
        let parameters = format!(
            "(\"@authority\";req);created={created};expires={};keyid=\"{}\";alg=\"ed25519\";\
             tag=\"http-message-signatures-directory\"",
            created + SIGNATURE_LIFE_S,
            self.domain_key().jwk().thumbprint(),
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

pub fn ed25519(key: &PublicKey) -> Result<[u8; 32], Unreadable> {
    match key {
        PublicKey::Ed25519(key) => Ok(*key),
        PublicKey::P256(_) => Err(Unreadable),
    }
}

/// The key; created if there is none.
pub async fn message_key(app: &App) -> Result<MessageKey, Problem> {
    if let Some(stored) = app.store.message_key().await? {
        return Ok(MessageKey::read(&stored)?);
    }
    let kid = |public: [u8; 32]| PublicKey::Ed25519(public).jwk().thumbprint();
    let new = match &app.settings.message_key_id {
        Some(id) => private_key::from_service(app, id, |public| Ok(kid(ed25519(public)?))).await?,
        None => {
            let key = SigningKey::from_bytes(&app.random.bytes());
            let (kid, secret) = (kid(key.verifying_key().to_bytes()), BASE64URL.encode(key.as_bytes()));
            StoredKey { kid, secret, public: None, made_at: app.clock.now() }
        }
    };
    app.store.keep_message_key(&new).await?;
    // Another process may have stored its key first.
    let stored = app.store.message_key().await?.ok_or(Unreadable)?;
    Ok(MessageKey::read(&stored)?)
}

/// The key as this process last read it, and the requests that could not be signed.
#[derive(Debug, Default)]
pub struct MessageSigner {
    /// `None` after a failure.
    key: CachedValue<Option<MessageKey>>,
    reading: Mutex<()>,
    unsigned: AtomicU32,
}

impl MessageSigner {
    /// The requests without a signature since the last call.
    pub fn take_unsigned(&self) -> u32 {
        self.unsigned.swap(0, Ordering::Relaxed)
    }

    fn cached(&self, now: Moment) -> Option<Arc<Option<MessageKey>>> {
        let now = now.as_millisecond();
        let key = self.key.get(now, KEY_LIFE_MS).filter(|key| key.is_some());
        key.or_else(|| self.key.get(now, RETRY_MS))
    }

    /// Reads the key at most once at a time.
    async fn key(&self, app: &App) -> Arc<Option<MessageKey>> {
        let now = app.clock.now();
        if let Some(key) = self.cached(now) {
            return key;
        }
        let _reading = self.reading.lock().await;
        if let Some(key) = self.cached(now) {
            return key;
        }
        let key = message_key(app).await;
        if let Err(problem) = &key {
            tracing::warn!(error = %problem.detail, "failed to read the key that signs probes; they are sent without a signature");
        }
        self.key.put(now.as_millisecond(), key.ok())
    }

    async fn headers(&self, app: &App, authority: &str) -> HeaderMap {
        let signed = async {
            match self.key(app).await.as_ref() {
                Some(key) => key.sign_request(app, authority).await.ok(),
                None => None,
            }
        };
        let Ok(Some(headers)) = tokio::time::timeout(MAX_SIGNING_TIME, signed).await else {
            self.unsigned.fetch_add(1, Ordering::Relaxed);
            return HeaderMap::new();
        };
        let header = |(name, value): (&'static str, String)| {
            Some((HeaderName::from_static(name), HeaderValue::try_from(value).ok()?))
        };
        headers.into_iter().filter_map(header).collect()
    }
}

/// Signs the requests of this app's probes.
pub(crate) fn request_signer(app: &App) -> Signer {
    let app = app.clone();
    Signer::new(move |authority| {
        let app = app.clone();
        Box::pin(async move { app.message_signer.headers(&app, &authority).await })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::Random;

    #[test]
    fn signed_text_of_the_directory_names_its_authority() {
        let key = SigningKey::from_bytes(&Random::seeded(1).bytes());
        let key = MessageKey { public: *key.verifying_key().as_bytes(), private: Private::Table(key) };
        let (parameters, base) = key.directory_base("registry.example.org", Moment::UNIX_EPOCH);
        let kid = key.domain_key().jwk().thumbprint();
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
