//! The Ed25519 keys of the evidence log. The first key is created when it is first needed, and is stored in the table. The
//! name of a key is the origin of the log, so its signatures are valid only for this log. The origin does not
//! change when the registry moves to another address.
//!
//! The operator changes the key in steps. First, the next key is announced in the log. From then on, both keys sign
//! each checkpoint, so that clients with either key can verify it. Later, the next key becomes the first key, and the
//! previous key is retired. All signatures of the log are made here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ed25519_dalek::SigningKey;
use signed_note::{Note, Signer, StandardSigner, StandardVerifier, key_id, new_ed25519_verifier_key};

use super::keys::Unreadable;
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{KeyStep, LogEntry, LogEvent, Random, SecondKey};
use registry_store::{LogKeys, SecondLogKey, StoredKey};

/// The signature type of Ed25519 (C2SP `signed-note`, "Signature types").
const ED25519: u8 = 1;

/// Signs the log with its first key and, during a change of keys, with a second one.
pub struct LogSigner {
    first: StandardSigner,
    vkey: String,
    second: Option<(StandardSigner, SecondKey)>,
}

impl LogSigner {
    /// The name of the keys, which is the origin of the log.
    pub fn origin(&self) -> &str {
        self.first.name()
    }

    /// The first public key in the form of signed notes: `name+hash+key`.
    pub fn vkey(&self) -> &str {
        &self.vkey
    }

    pub fn second_key(&self) -> Option<SecondKey> {
        self.second.as_ref().map(|(_, key)| key.clone())
    }

    /// A text with the signatures, as a signed note (C2SP `signed-note`). The first key comes first.
    pub fn sign(&self, text: &str) -> Result<String, Problem> {
        let fault = |error: signed_note::NoteError| Problem::fault(error.to_string());
        let mut note = Note::new(text.as_bytes(), &[]).map_err(fault)?;
        note.add_sigs(&[&self.first]).map_err(fault)?;
        if let Some((second, _)) = &self.second {
            note.add_sigs(&[second]).map_err(fault)?;
        }
        String::from_utf8(note.to_bytes()).map_err(|error| Problem::fault(error.to_string()))
    }

    fn read(stored: &LogKeys) -> Result<Self, Unreadable> {
        let second = stored.second.as_ref().map(|second| {
            let key = SecondKey { vkey: second.key.kid.clone(), is_previous: second.is_previous };
            Ok((read(&second.key)?, key))
        });
        Ok(Self { first: read(&stored.first)?, vkey: stored.first.kid.clone(), second: second.transpose()? })
    }
}

fn read(stored: &StoredKey) -> Result<StandardSigner, Unreadable> {
    StandardVerifier::new(&stored.kid).map_err(|_| Unreadable)?;
    StandardSigner::new(&stored.secret).map_err(|_| Unreadable)
}

/// The keys of the log; the first one is created if there is none.
pub async fn log_signer(app: &App) -> Result<LogSigner, Problem> {
    Ok(LogSigner::read(&stored(app).await?)?)
}

async fn stored(app: &App) -> Result<LogKeys, Problem> {
    if let Some(stored) = app.store.log_keys().await? {
        return Ok(stored);
    }
    app.store.keep_log_key(&new_key(&origin(&app.settings.base_url), app)).await?;
    // Another process may have stored its key first.
    Ok(app.store.log_keys().await?.ok_or(Unreadable)?)
}

/// Carries out a step of a change of keys. A step that does not fit the current keys changes nothing. If the process stops
/// in between, the step can be repeated.
pub async fn carry_out(app: &App, step: KeyStep) -> Result<(), Problem> {
    let LogKeys { first, second } = stored(app).await?;
    let keys = match (step, second) {
        (KeyStep::Announce, None) => {
            let next = new_key(read(&first)?.name(), app);
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

fn new_key(name: &str, app: &App) -> StoredKey {
    let (kid, secret) = new_pair(name, &app.random);
    StoredKey { kid, secret, made_at: app.clock.now() }
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
    use signed_note::{Verifier, VerifierList};

    use super::*;
    use registry_model::Moment;

    #[test]
    fn signed_note_can_be_verified_with_each_of_its_keys_alone() {
        let made = |seed| {
            let (kid, secret) = new_pair("registry.example.org/log", &Random::seeded(seed));
            StoredKey { kid, secret, made_at: Moment::UNIX_EPOCH }
        };
        let (first, second, other) = (made(1), made(2), made(3));
        let known = |key: &StoredKey| -> VerifierList {
            let verifier: Box<dyn Verifier> = Box::new(StandardVerifier::new(&key.kid).unwrap());
            VerifierList::new(vec![verifier])
        };
        let one = LogSigner::read(&LogKeys { first: first.clone(), second: None }).unwrap();
        assert_eq!((one.origin(), one.second_key()), ("registry.example.org/log", None));
        let note = Note::from_bytes(one.sign("one\ntwo\n").unwrap().as_bytes()).unwrap();
        assert_eq!(note.text(), b"one\ntwo\n");
        assert_eq!(note.verify(&known(&first)).unwrap().0.len(), 1);
        assert!(note.verify(&known(&second)).is_err());
        assert!(one.sign("no newline").is_err());

        let next = SecondLogKey { key: second.clone(), is_previous: false };
        let both = LogSigner::read(&LogKeys { first: first.clone(), second: Some(next) }).unwrap();
        let note = Note::from_bytes(both.sign("one\ntwo\n").unwrap().as_bytes()).unwrap();
        for key in [&first, &second] {
            let (verified, unknown) = note.verify(&known(key)).unwrap();
            assert_eq!((verified.len(), unknown.len()), (1, 1));
        }
        assert!(note.verify(&known(&other)).is_err());
    }

    #[test]
    fn log_origin_is_the_log_url_without_its_scheme() {
        assert_eq!(origin("https://registry.example.org"), "registry.example.org/log");
        assert_eq!(origin("http://127.0.0.1:8080"), "127.0.0.1:8080/log");
    }
}
