//! The Ed25519 key of the evidence log. It is created when it is first needed, and is stored in the table.
//! The name of the key is the origin of the log, so its signatures are valid only for this log. The key does
//! not change when the registry moves to another address.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ed25519_dalek::SigningKey;
use signed_note::{Note, Signer, StandardSigner, StandardVerifier, key_id, new_ed25519_verifier_key};

use super::keys::Unreadable;
use registry_app::App;
use registry_model::Random;
use registry_model::error::Problem;
use registry_store::StoredKey;

/// The signature type of Ed25519 (C2SP `signed-note`, "Signature types").
const ED25519: u8 = 1;

pub struct LogKey {
    signer: StandardSigner,
    vkey: String,
}

impl LogKey {
    /// The name of the key, which is the origin of the log.
    pub fn origin(&self) -> &str {
        self.signer.name()
    }

    /// The public key in the form of signed notes: `name+hash+key`.
    pub fn vkey(&self) -> &str {
        &self.vkey
    }

    /// A text with its signature, as a signed note (C2SP `signed-note`).
    pub fn sign(&self, text: &str) -> Result<String, Problem> {
        let fault = |error: signed_note::NoteError| Problem::fault(error.to_string());
        let mut note = Note::new(text.as_bytes(), &[]).map_err(fault)?;
        note.add_sigs(&[&self.signer]).map_err(fault)?;
        String::from_utf8(note.to_bytes()).map_err(|error| Problem::fault(error.to_string()))
    }

    fn read(stored: &StoredKey) -> Result<Self, Unreadable> {
        StandardVerifier::new(&stored.kid).map_err(|_| Unreadable)?;
        let signer = StandardSigner::new(&stored.secret).map_err(|_| Unreadable)?;
        Ok(Self { signer, vkey: stored.kid.clone() })
    }
}

/// The key of the log; created if there is none.
pub async fn log_key(app: &App) -> Result<LogKey, Problem> {
    if let Some(stored) = app.store.log_key().await? {
        return Ok(LogKey::read(&stored)?);
    }
    let (vkey, secret) = new_key(&origin(&app.settings.base_url), &app.random);
    app.store.keep_log_key(&StoredKey { kid: vkey, secret, public: None, made_at: app.clock.now() }).await?;
    // Another process may have stored its key first.
    let stored = app.store.log_key().await?.ok_or(Unreadable)?;
    Ok(LogKey::read(&stored)?)
}

/// The address of the log without the scheme (C2SP `tlog-tiles`, "Parameters").
fn origin(base_url: &str) -> String {
    let address = base_url.split_once("://").map_or(base_url, |(_, address)| address);
    format!("{}/log", address.trim_end_matches('/'))
}

/// The public and the private half of a new key, in the form of signed notes.
fn new_key(name: &str, random: &Random) -> (String, String) {
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
    fn signed_note_can_be_verified_only_with_its_own_key() {
        let made = |seed| {
            let (kid, secret) = new_key("registry.example.org/log", &Random::seeded(seed));
            LogKey::read(&StoredKey { kid, secret, public: None, made_at: Moment::UNIX_EPOCH }).unwrap()
        };
        let (key, other) = (made(1), made(2));
        assert_eq!(key.origin(), "registry.example.org/log");
        let note = Note::from_bytes(key.sign("one\ntwo\n").unwrap().as_bytes()).unwrap();
        let known = |key: &LogKey| -> VerifierList {
            let verifier: Box<dyn Verifier> = Box::new(StandardVerifier::new(key.vkey()).unwrap());
            VerifierList::new(vec![verifier])
        };
        assert_eq!(note.text(), b"one\ntwo\n");
        assert_eq!(note.verify(&known(&key)).unwrap().0.len(), 1);
        assert!(note.verify(&known(&other)).is_err());
        assert!(key.sign("no newline").is_err());
    }

    #[test]
    fn log_origin_is_the_log_url_without_its_scheme() {
        assert_eq!(origin("https://registry.example.org"), "registry.example.org/log");
        assert_eq!(origin("http://127.0.0.1:8080"), "127.0.0.1:8080/log");
    }
}
