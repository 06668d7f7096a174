//! The Ed25519 keys of the evidence log. The first key is created when it is first needed, and is stored in the table. The
//! name of a key is the origin of the log, so its signatures are valid only for this log. The origin does not
//! change when the registry moves to another address.
//!
//! The operator changes the key in steps. First, the next key is announced in the log. From then on, both keys sign
//! each checkpoint, so that clients with either key can verify it. Later, the next key becomes the first key, and the
//! previous key is retired. All signatures of the log are made here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ed25519_dalek::{SigningKey, VerifyingKey};
use signed_note::{
    Note, Signature, Signer as _, StandardSigner, StandardVerifier, Verifier as _, key_id,
    new_ed25519_verifier_key,
};

use crate::prelude::*;
use registry_app::domain_keys::PublicKey;
use registry_app::message_key::ed25519;
use registry_app::private_key::{self, Algorithm, KeyService, Private, Unreadable};
use registry_model::{KeyStep, LogEntry, LogEvent, Random, SecondKey};
use registry_store::{LogKeys, SecondLogKey, StoredKey};

/// The signature type of Ed25519 (C2SP `signed-note`, "Signature types").
const ED25519: u8 = 1;

/// Signs the log with its first key and, during a change of keys, with a second one.
pub struct LogSigner {
    first: LogKey,
    second: Option<(LogKey, bool)>,
}

struct LogKey {
    private: Private<StandardSigner>,
    /// The public key in the form of signed notes: `name+hash+key`.
    vkey: String,
    verifier: StandardVerifier,
}

impl LogSigner {
    /// The name of the keys, which is the origin of the log.
    pub fn origin(&self) -> &str {
        self.first.verifier.name()
    }

    /// The first public key in the form of signed notes: `name+hash+key`.
    pub fn vkey(&self) -> &str {
        &self.first.vkey
    }

    pub fn second_key(&self) -> Option<SecondKey> {
        let second = self.second.as_ref();
        second.map(|(key, is_previous)| SecondKey { vkey: key.vkey.clone(), is_previous: *is_previous })
    }

    /// A text with the signatures, as a signed note (C2SP `signed-note`). The first key comes first.
    pub async fn sign(&self, keys: Option<&dyn KeyService>, text: &str) -> Result<String, Problem> {
        let mut signatures = vec![self.first.sign(keys, text).await?];
        if let Some((second, _)) = &self.second {
            signatures.push(second.sign(keys, text).await?);
        }
        let note = Note::new(text.as_bytes(), &signatures).map_err(Problem::fault)?;
        String::from_utf8(note.to_bytes()).map_err(Problem::fault)
    }

    fn read(stored: &LogKeys) -> Result<Self, Unreadable> {
        let second = stored.second.as_ref();
        let second = second.map(|second| Ok((LogKey::read(&second.key)?, second.is_previous))).transpose()?;
        Ok(Self { first: LogKey::read(&stored.first)?, second })
    }
}

impl LogKey {
    async fn sign(&self, keys: Option<&dyn KeyService>, text: &str) -> Result<Signature, Problem> {
        let signature = match &self.private {
            Private::Table(signer) => signer.sign(text.as_bytes()).map_err(Problem::fault)?,
            Private::Service(id) => {
                private_key::sign_in_service(keys, id, Algorithm::Ed25519, text.as_bytes()).await?
            }
        };
        Signature::new(self.verifier.name().to_owned(), self.verifier.key_id(), signature)
            .map_err(Problem::fault)
    }

    fn read(stored: &StoredKey) -> Result<Self, Unreadable> {
        let verifier = StandardVerifier::new(&stored.kid).map_err(|_| Unreadable)?;
        let private = match private_key::in_service(stored)? {
            Some((id, _)) => Private::Service(id),
            None => Private::Table(StandardSigner::new(&stored.secret).map_err(|_| Unreadable)?),
        };
        Ok(Self { private, vkey: stored.kid.clone(), verifier })
    }
}

/// The keys of the log; the first one is created if there is none.
pub async fn log_signer(app: &App) -> Result<LogSigner, Problem> {
    Ok(LogSigner::read(&stored(app).await?)?)
}

async fn stored(app: &App) -> Result<LogKeys, Problem> {
    if let Some(stored) = app.store.log_keys().await? {
        return Ok(stored);
    }
    app.store.keep_log_key(&new_key(&origin(&app.settings.base_url), app).await?).await?;
    // Another process may have stored its key first.
    Ok(app.store.log_keys().await?.ok_or(Unreadable)?)
}

/// Carries out a step of a change of keys. A step that does not fit the current keys changes nothing. If the process stops
/// in between, the step can be repeated.
pub async fn carry_out(app: &App, step: KeyStep) -> Result<(), Problem> {
    let LogKeys { first, second } = stored(app).await?;
    let keys = match (step, second) {
        (KeyStep::Announce, None) => {
            let next = new_key(LogKey::read(&first)?.verifier.name(), app).await?;
            if next.kid == first.kid {
                return Err(private_key::same_key("LOG_KEY_ID"));
            }
            LogKeys { first, second: Some(SecondLogKey { key: next, is_previous: false }) }
        }
        (KeyStep::Announce, Some(second)) if !second.is_previous => LogKeys { first, second: Some(second) },
        (KeyStep::Promote, Some(second)) if !second.is_previous => {
            LogKeys { first: second.key, second: Some(SecondLogKey { key: first, is_previous: true }) }
        }
        (KeyStep::Retire, Some(_)) => LogKeys { first, second: None },
        (_, second) => LogKeys { first, second },
    };
    app.store.replace_log_keys(&keys).await?;
    if let (KeyStep::Announce, Some(SecondLogKey { key, is_previous: false })) = (step, &keys.second) {
        // The time of the key, so that a repeated step writes the same leaf.
        let mut leaf = LogEntry::of_log(key.made_at, LogEvent::NextKey);
        leaf.vkey = Some(key.kid.clone());
        app.store.add_log_leaf(&leaf).await?;
    }
    Ok(())
}

/// The address of the log without the scheme (C2SP `tlog-tiles`, "Parameters").
fn origin(base_url: &str) -> String {
    let address = base_url.split_once("://").map_or(base_url, |(_, address)| address);
    format!("{}/log", address.trim_end_matches('/'))
}

async fn new_key(name: &str, app: &App) -> Result<StoredKey, Problem> {
    let vkey = |public: &PublicKey| {
        let key = VerifyingKey::from_bytes(&ed25519(public)?).map_err(|_| Unreadable)?;
        Ok(new_ed25519_verifier_key(name, &key))
    };
    match &app.settings.log_key_id {
        Some(id) => private_key::from_service(app, id, vkey).await,
        None => {
            let (kid, secret) = new_pair(name, &app.random);
            Ok(StoredKey { kid, secret, public: None, made_at: app.clock.now() })
        }
    }
}

/// The public and the private half of a new key, in the form of signed notes.
fn new_pair(name: &str, random: &Random) -> (String, String) {
    let key = SigningKey::from_bytes(&random.bytes());
    let public = key.verifying_key();
    let id = key_id(name, &[&[ED25519], public.as_bytes().as_slice()].concat());
    let secret = BASE64.encode([&[ED25519], key.as_bytes().as_slice()].concat());
    (new_ed25519_verifier_key(name, &public), format!("PRIVATE+KEY+{name}+{id:08x}+{secret}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_origin_is_the_log_url_without_its_scheme() {
        assert_eq!(origin("https://registry.example.org"), "registry.example.org/log");
        assert_eq!(origin("http://127.0.0.1:8080"), "127.0.0.1:8080/log");
    }
}
