//! The private half of a key of the registry: in the table, or in a service that holds private keys and signs with them, such
//! as AWS KMS. The private half of a key in a key service never reaches this program: the table contains only its id there
//! and its public half.

use std::fmt::Debug;

use futures::future::BoxFuture;
use registry_model::error::Source;
use registry_store::StoredKey;

use crate::domain_keys::PublicKey;
use crate::prelude::*;

/// The signature algorithms of the registry's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// ECDSA on P-256 with SHA-256. The signature is DER (RFC 3279 §2.2.3).
    Es256,
    /// Ed25519 over at most 4,096 bytes. The signature has 64 bytes (RFC 8032).
    Ed25519,
}

/// The public half of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceKey {
    /// The permanent id of the key, such as its ARN. An alias can lead to another key later.
    pub id: String,
    /// A DER `SubjectPublicKeyInfo` (RFC 5280 §4.1).
    pub public: Vec<u8>,
}

/// Why the service did not answer: its own words, for the log.
#[derive(Debug, thiserror::Error)]
#[error("the key service failed")]
pub struct KeyServiceError(#[source] pub Source);

/// The crate `lambda` implements it with AWS KMS, tests with keys in memory.
pub trait KeyService: Debug + Send + Sync {
    /// Reads the public half of a key; `id` may be an alias.
    fn public_key<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<ServiceKey, KeyServiceError>>;

    fn sign<'a>(
        &'a self,
        id: &'a str,
        algorithm: Algorithm,
        message: &'a [u8],
    ) -> BoxFuture<'a, Result<Vec<u8>, KeyServiceError>>;
}

#[derive(Debug, thiserror::Error)]
#[error("a stored key cannot be read")]
pub struct Unreadable;

impl From<Unreadable> for Problem {
    fn from(error: Unreadable) -> Self {
        Self::fault(error)
    }
}

pub enum Private<K> {
    Table(K),
    /// The id of the key in the key service.
    Service(String),
}

/// The id and the public half of a stored key whose private half is in a key service.
pub fn in_service(stored: &StoredKey) -> Result<Option<(String, PublicKey)>, Unreadable> {
    let Some(id) = stored.service_id() else { return Ok(None) };
    let info = BASE64.decode(stored.public.as_deref().unwrap_or_default()).map_err(|_| Unreadable)?;
    let public = PublicKey::from_info(&info).map_err(|_| Unreadable)?;
    Ok(Some((id.to_owned(), public)))
}

/// Reads a key of the key service, to store it. `kid` computes the id that clients see.
pub async fn from_service(
    app: &App,
    id: &str,
    kid: impl Fn(&PublicKey) -> Result<String, Unreadable>,
) -> Result<StoredKey, Problem> {
    let key =
        required_service(app.key_service.as_deref())?.public_key(id).await.map_err(Problem::unavailable)?;
    let public = PublicKey::from_info(&key.public).map_err(|_| Unreadable)?;
    Ok(StoredKey {
        kid: kid(&public)?,
        secret: StoredKey::secret_in_service(&key.id),
        public: Some(BASE64.encode(key.public)),
        made_at: app.clock.now(),
    })
}

pub async fn sign_in_service(
    keys: Option<&dyn KeyService>,
    id: &str,
    algorithm: Algorithm,
    message: &[u8],
) -> Result<Vec<u8>, Problem> {
    required_service(keys)?.sign(id, algorithm, message).await.map_err(Problem::unavailable)
}

fn required_service(keys: Option<&dyn KeyService>) -> Result<&dyn KeyService, Problem> {
    let missing = || Problem::fault("a key is in a key service, but this process has no key service");
    keys.ok_or_else(missing)
}

/// 409: the key service still has the key that is in use.
pub fn same_key(setting: &str) -> Problem {
    let detail = format!(
        "The key that {setting} names is already in use. Create a new key in the key service, set {setting} to its id, \
         and change the key then."
    );
    Problem::new(Code::SameKey, detail)
}
