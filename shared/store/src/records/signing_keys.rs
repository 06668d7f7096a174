//! The private keys of the registry: the keys for attestations, the key of the evidence log and the key for HTTP messages.
//! They are in separate partitions. Policies give access to these partitions only to the functions that use the keys.

use serde::{Deserialize, Serialize};

use crate::prelude::*;
use registry_model::KeyStep;

/// The keys for attestations, by their id.
pub(super) const ATTESTATION_KEY: KeyPattern = KeyPattern::new("KEY#ES256", "");
pub(super) const LOG_KEY: KeyPattern = KeyPattern::new("KEY#LOG", "");
pub(super) const MESSAGE_KEY: KeyPattern = KeyPattern::new("KEY#MESSAGE", "");
/// The step of a change of keys that the operator requested.
pub(super) const KEY_STEP: KeyPattern = KeyPattern::new("LOG#KEY", "STEP");

const FIRST: &str = "FIRST";
/// Begins the secret of a key in a key service.
const IN_SERVICE: &str = "service:";
/// Stands before [`IN_SERVICE`] if the table was moved to a registry that may not use the key service.
const LEFT_BEHIND: &str = "left:";
/// Sorts after [`FIRST`], so that older code reads only the first key of the log.
const SECOND: &str = "SECOND";

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredKey {
    pub kid: String,
    /// The private half: base64url, or the form of signed notes for the key of the log. For a key in a key service, it is
    /// `service:` and the id of the key there.
    pub secret: String,
    /// The public half of a key in a key service: a DER `SubjectPublicKeyInfo`, base64url.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<String>,
    pub made_at: Moment,
}

pub(super) fn is_in_service(secret: &str) -> bool {
    secret.starts_with(IN_SERVICE)
}

pub(super) fn left_behind(secret: &str) -> String {
    format!("{LEFT_BEHIND}{secret}")
}

impl StoredKey {
    /// The secret of a key that has this id in the key service.
    #[must_use]
    pub fn secret_in_service(id: &str) -> String {
        format!("{IN_SERVICE}{id}")
    }

    /// The id of the key in the key service, if its private half is there.
    #[must_use]
    pub fn service_id(&self) -> Option<&str> {
        self.secret.strip_prefix(LEFT_BEHIND).unwrap_or(&self.secret).strip_prefix(IN_SERVICE)
    }

    /// Whether only the public half of the key is left, because the table was moved without its key service.
    #[must_use]
    pub fn is_left_behind(&self) -> bool {
        self.secret.starts_with(LEFT_BEHIND)
    }
}

/// The keys of the evidence log. Both sign each checkpoint.
#[derive(Clone)]
pub struct LogKeys {
    pub first: StoredKey,
    pub second: Option<SecondLogKey>,
}

/// The next key of the log, or the previous one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondLogKey {
    #[serde(flatten)]
    pub key: StoredKey,
    /// Whether it was the first key before.
    #[serde(default)]
    pub is_previous: bool,
}

impl Store {
    pub async fn signing_keys(&self) -> Result<Vec<StoredKey>> {
        read_all(self.partition(ATTESTATION_KEY.prefix).await?)
    }

    pub async fn keep_signing_key(&self, key: &StoredKey) -> Result<()> {
        self.put_new_key(ATTESTATION_KEY.one(&key.kid), key).await
    }

    /// Stores the first key for attestations, unless another process has stored one.
    pub async fn keep_first_signing_key(&self, key: &StoredKey) -> Result<()> {
        self.put_new_key(ATTESTATION_KEY.one(FIRST), key).await
    }

    pub async fn log_keys(&self) -> Result<Option<LogKeys>> {
        let mut first = None;
        let mut second: Option<SecondLogKey> = None;
        for item in self.partition(LOG_KEY.prefix).await? {
            match text(&item, "sk") {
                FIRST => first = Some(serde_dynamo::from_item(item)?),
                // A retired key has no secret.
                SECOND if !text(&item, "secret").is_empty() => second = Some(serde_dynamo::from_item(item)?),
                _ => {}
            }
        }
        Ok(first.map(|first| LogKeys { first, second }))
    }

    /// Stores the keys of the log: without a second key, the secret of the stored one is erased.
    pub async fn replace_log_keys(&self, keys: &LogKeys) -> Result<()> {
        let mut transaction = Transaction::default();
        transaction.put(LOG_KEY.one(FIRST).with_fields(&keys.first)?);
        let second = LOG_KEY.one(SECOND);
        transaction.put(match &keys.second {
            Some(key) => second.with_fields(key)?,
            None => second.item(),
        });
        self.commit(transaction).await.map(drop)
    }

    /// Takes the step of a change of keys that the operator requested. Only one process gets it.
    pub async fn take_key_step(&self) -> Result<Option<KeyStep>> {
        let Some(item) = self.read(&KEY_STEP.key()).await? else { return Ok(None) };
        let step = KeyStep::named(text(&item, "step"));
        Ok(if self.delete(&KEY_STEP.key()).await? { step } else { None })
    }

    pub async fn request_key_step(&self, step: KeyStep) -> Result<()> {
        self.put(KEY_STEP.key().with([("step", s(step.as_str()))])).await
    }

    /// Stores the key of the evidence log, unless another process has stored one.
    pub async fn keep_log_key(&self, key: &StoredKey) -> Result<()> {
        self.put_new_key(LOG_KEY.one(FIRST), key).await
    }

    pub async fn message_key(&self) -> Result<Option<StoredKey>> {
        Ok(read_all(self.partition(MESSAGE_KEY.prefix).await?)?.into_iter().next())
    }

    /// Stores the key that signs HTTP messages, unless another process has stored one.
    pub async fn keep_message_key(&self, key: &StoredKey) -> Result<()> {
        self.put_new_key(MESSAGE_KEY.one(FIRST), key).await
    }

    async fn put_new_key(&self, at: Key, key: &StoredKey) -> Result<()> {
        self.put_new(at.with_fields(key)?).await.map(drop)
    }
}
