//! The state file of a mirror. A later run continues from it. The file is replaced by renaming a new file, so
//! that a crash leaves either the previous state or the new state.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::counts::Counts;
use super::server_entry::Label;

/// How far a source was handled. Entries of a page are named, not counted, because the page may have other entries when
/// it is requested again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Position {
    /// The number of handled documents of a file.
    Documents(u64),
    /// All pages before this one, and some of its entries.
    Page {
        /// `None` for the first page.
        cursor: Option<String>,
        /// [`Label::key`] of each handled entry.
        handled: Vec<String>,
    },
    /// Lines of the dump with this checksum; an empty checksum before the dump is chosen.
    Dump { sha256: String, handled: u64 },
}

impl Position {
    pub(super) fn advance(&mut self, label: &Label) {
        match self {
            Self::Documents(number) | Self::Dump { handled: number, .. } => *number += 1,
            Self::Page { handled, .. } => handled.push(label.key()),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// The source as text; a state of another source is refused.
    pub(super) source: String,
    /// The base URL of the registry.
    pub(super) to: String,
    /// `--updated-since`, which changes the content of the pages.
    pub(super) updated_since: Option<String>,
    pub(super) position: Position,
    #[serde(rename = "tally")]
    pub(super) counts: Counts,
}

/// Why the state file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The file cannot be read or written.
    #[error("cannot read or write the state file {0}: {1}")]
    File(PathBuf, io::Error),
    /// The file is not a state file.
    #[error("{0} is not a state file ({1}); use another file")]
    Unreadable(PathBuf, serde_json::Error),
    #[error(
        "{path} belongs to {found}; to start again from the beginning, remove this file, or use another \
        file"
    )]
    OtherMirror { path: PathBuf, found: String },
}

impl State {
    /// The state of an earlier run of the same mirror; `None` if there was none.
    pub(super) fn load(path: &Path, initial: &Self) -> Result<Option<Self>, StateError> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StateError::File(path.to_owned(), error)),
        };
        let found: Self =
            serde_json::from_slice(&text).map_err(|error| StateError::Unreadable(path.to_owned(), error))?;
        if found.description() != initial.description() {
            return Err(StateError::OtherMirror { path: path.to_owned(), found: found.description() });
        }
        Ok(Some(found))
    }

    pub(super) fn save(&self, path: &Path) -> Result<(), StateError> {
        let write = || {
            let mut temporary = path.as_os_str().to_owned();
            temporary.push(".new");
            let mut file = File::create(&temporary)?;
            file.write_all(&serde_json::to_vec_pretty(self)?)?;
            file.sync_all()?;
            fs::rename(&temporary, path)
        };
        write().map_err(|error| StateError::File(path.to_owned(), error))
    }

    pub(super) fn remove(path: &Path) -> Result<(), StateError> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StateError::File(path.to_owned(), error))
            }
            _ => Ok(()),
        }
    }

    fn description(&self) -> String {
        let since = self.updated_since.as_ref().map(|since| format!(" since {since}")).unwrap_or_default();
        format!("the mirror of {}{since} to {}", self.source, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(source: &str, number: u64) -> State {
        State {
            source: source.to_owned(),
            to: "http://127.0.0.1:8080".to_owned(),
            updated_since: None,
            position: Position::Documents(number),
            counts: Counts::default(),
        }
    }

    #[test]
    fn last_saved_state_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let initial = state("a.jsonl", 0);
        assert_eq!(State::load(&path, &initial).unwrap(), None);
        for number in [7, 19] {
            state("a.jsonl", number).save(&path).unwrap();
            assert_eq!(State::load(&path, &initial).unwrap(), Some(state("a.jsonl", number)));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "temporary files are left");
        State::remove(&path).unwrap();
        State::remove(&path).unwrap();
        assert_eq!(State::load(&path, &initial).unwrap(), None);
    }

    #[test]
    fn state_of_another_mirror_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        state("a.jsonl", 7).save(&path).unwrap();
        let error = State::load(&path, &state("b.jsonl", 0)).unwrap_err();
        assert!(error.to_string().contains("the mirror of a.jsonl to http://127.0.0.1:8080"), "{error}");
        fs::write(&path, "[]").unwrap();
        assert!(matches!(State::load(&path, &state("a.jsonl", 0)), Err(StateError::Unreadable(..))));
    }
}
