//! Digests of the addresses of callers. Only a digest of an address is stored, made with a secret key
//! (HMAC-SHA-256). The key changes every 30 days, and old keys are deleted.

use std::sync::{Mutex, PoisonError};

use ring::hmac;

use crate::prelude::*;
use registry_model::{Secret, hex};
use registry_store::{CallerKeys, caller_key_period};

const DIGEST_BYTES: usize = 16;

#[derive(Debug, Default)]
pub struct CachedCallerKeys(Mutex<Option<CallerKeys>>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerDigests {
    /// With the key of this period. New items contain this digest.
    pub current: String,
    /// With the key of the period before, for items that were stored then.
    pub previous: Option<String>,
}

impl CallerDigests {
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.current.as_str()).chain(self.previous.as_deref())
    }
}

impl App {
    /// The digest of a caller's address. Use it instead of the address in everything that is stored.
    ///
    /// # Errors
    /// The table does not answer.
    pub async fn caller_digest(&self, caller: &Caller) -> Result<String, StoreError> {
        Ok(self.caller_digests(caller).await?.current)
    }

    /// The digests by which items of this caller are found, also those of the period before.
    ///
    /// # Errors
    /// As [`App::caller_digest`].
    pub async fn caller_digests(&self, caller: &Caller) -> Result<CallerDigests, StoreError> {
        let (keys, name) = (self.caller_keys().await?, caller.name());
        Ok(CallerDigests {
            current: name_digest(&keys.current, &name),
            previous: keys.previous.as_ref().map(|key| name_digest(key, &name)),
        })
    }

    async fn caller_keys(&self) -> Result<CallerKeys, StoreError> {
        let now = self.clock.now();
        let cached = || self.caller_keys.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cached().clone().filter(|keys| keys.period == caller_key_period(now));
        if let Some(keys) = known {
            return Ok(keys);
        }
        let keys = self.store.caller_keys(now, || self.random.hex(32)).await?;
        *cached() = Some(keys.clone());
        Ok(keys)
    }
}

fn name_digest(key: &Secret, name: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key.reveal().as_bytes());
    hex(&hmac::sign(&key, name.as_bytes()).as_ref()[..DIGEST_BYTES])
}
