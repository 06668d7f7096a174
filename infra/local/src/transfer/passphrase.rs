//! The passphrase of an export, and the key that is made from it. The passphrase comes from a file or from the environment,
//! because other users of a machine can read command lines.

use std::fmt;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use ring::aead::{AES_256_GCM, LessSafeKey, UnboundKey};
use ring::pbkdf2;

/// Shorter passphrases could be guessed by trying.
const MIN_CHARS: usize = 16;

/// The variable that contains the passphrase.
const VARIABLE: &str = "EXPORT_PASSPHRASE";

/// Why there is no passphrase.
#[derive(Debug, thiserror::Error)]
pub enum PassphraseError {
    #[error(
        "no passphrase; set EXPORT_PASSPHRASE, or --passphrase-file to a file that contains only the passphrase"
    )]
    Missing,
    #[error(
        "the passphrase has fewer than {MIN_CHARS} characters; `openssl rand -base64 32` prints a good one"
    )]
    Short,
    #[error("cannot read the passphrase file {0}: {1}")]
    File(PathBuf, std::io::Error),
}

/// Iterations for new files (OWASP Password Storage Cheat Sheet, "PBKDF2"). A file contains its number.
const ITERATIONS: u32 = 600_000;

/// At least 16 characters.
#[derive(Clone)]
pub struct Passphrase {
    pub(super) text: String,
    pub(super) iterations: u32,
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase")
    }
}

impl Passphrase {
    /// From this file, or from the environment.
    ///
    /// # Errors
    /// See [`PassphraseError`].
    pub fn read(
        file: Option<&Path>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, PassphraseError> {
        let text = match file {
            Some(path) => std::fs::read_to_string(path)
                .map_err(|error| PassphraseError::File(path.to_path_buf(), error))?,
            None => variable(VARIABLE).ok_or(PassphraseError::Missing)?,
        };
        Self::new(&text)
    }

    /// A passphrase, without spaces and line breaks around it.
    ///
    /// # Errors
    /// It is too short.
    pub fn new(text: &str) -> Result<Self, PassphraseError> {
        let text = text.trim();
        if text.chars().count() < MIN_CHARS {
            return Err(PassphraseError::Short);
        }
        Ok(Self { text: text.to_owned(), iterations: ITERATIONS })
    }

    /// PBKDF2 with HMAC-SHA-256 (RFC 8018). `None` for 0 iterations.
    pub(super) fn key(&self, salt: &[u8], iterations: u32) -> Option<LessSafeKey> {
        let (iterations, mut bytes) = (NonZeroU32::new(iterations)?, [0; 32]);
        pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, iterations, salt, self.text.as_bytes(), &mut bytes);
        UnboundKey::new(&AES_256_GCM, &bytes).ok().map(LessSafeKey::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passphrase_comes_from_the_file_before_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("passphrase");
        std::fs::write(&file, "a passphrase in a file\n").unwrap();
        let variable = |name: &str| (name == VARIABLE).then(|| "a passphrase in a variable".to_owned());
        let read = |file, variable: &dyn Fn(&str) -> Option<String>| Passphrase::read(file, variable);
        assert_eq!(read(Some(&file), &variable).unwrap().text, "a passphrase in a file");
        assert_eq!(read(None, &variable).unwrap().text, "a passphrase in a variable");
        assert!(matches!(read(None, &|_| None), Err(PassphraseError::Missing)));
        assert!(matches!(read(None, &|_| Some("too short      \n".to_owned())), Err(PassphraseError::Short)));
        assert!(matches!(read(Some(folder.path()), &|_| None), Err(PassphraseError::File(..))));
    }
}
