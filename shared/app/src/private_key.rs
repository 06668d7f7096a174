//! The private half of a key of the registry: in the table, or in a key service such as AWS KMS. For a key in a key
//! service, the table contains only its id there and its public half.

use crate::domain_keys::PublicKey;
use crate::key_service::{Algorithm, KeyService};
use crate::prelude::*;
use registry_store::StoredKey;

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
    let key = service(app.key_service.as_deref())?.public_key(id).await.map_err(Problem::unavailable)?;
    let public = PublicKey::from_info(&key.public).map_err(|_| Unreadable)?;
    Ok(StoredKey {
        kid: kid(&public)?,
        secret: StoredKey::secret_in_service(&key.id),
        public: Some(BASE64.encode(key.public)),
        made_at: app.clock.now(),
    })
}

pub async fn sign(
    keys: Option<&dyn KeyService>,
    id: &str,
    algorithm: Algorithm,
    message: &[u8],
) -> Result<Vec<u8>, Problem> {
    service(keys)?.sign(id, algorithm, message).await.map_err(Problem::unavailable)
}

fn service(keys: Option<&dyn KeyService>) -> Result<&dyn KeyService, Problem> {
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
