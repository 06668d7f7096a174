//! What a mirror keeps between runs: its position and its counts. The file is replaced by a rename, so that a crash
//! leaves either the previous state or the new one.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::counts::Counts;
use super::position::Position;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// The source as text; a state of another source is refused.
    pub(super) source: String,
    /// The base URL of the registry.
    pub(super) to: String,
    /// `--updated-since`, which changes the content of the pages.
    pub(super) updated_since: Option<String>,
    pub(super) position: Position,
    // Existing state files have this name.
    #[serde(rename = "tally")]
    pub(super) counts: Counts,
}

/// Why the state cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The file cannot be read or written.
    #[error("cannot keep the state in {0}: {1}")]
    File(PathBuf, io::Error),
    /// The file is not a state file.
    #[error("{0} is no state of a mirror ({1}); name another file")]
    Unreadable(PathBuf, serde_json::Error),
    /// It belongs to another mirror.
    #[error("{path} belongs to {found}; remove it to begin anew, or name another file")]
    OtherMirror {
        /// The file.
        path: PathBuf,
        /// The mirror that it belongs to.
        found: String,
    },
}

impl State {
    /// Reads what an earlier run of the same mirror left; `None` where there was none.
    pub(super) fn load(path: &Path, like: &Self) -> Result<Option<Self>, StateError> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StateError::File(path.to_owned(), error)),
        };
        let found: Self =
            serde_json::from_slice(&text).map_err(|error| StateError::Unreadable(path.to_owned(), error))?;
        if found.description() != like.description() {
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
    fn what_was_saved_last_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let begin = state("a.jsonl", 0);
        assert_eq!(State::load(&path, &begin).unwrap(), None);
        for number in [7, 19] {
            state("a.jsonl", number).save(&path).unwrap();
            assert_eq!(State::load(&path, &begin).unwrap(), Some(state("a.jsonl", number)));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        State::remove(&path).unwrap();
        State::remove(&path).unwrap();
        assert_eq!(State::load(&path, &begin).unwrap(), None);
    }

    #[test]
    fn the_state_of_another_mirror_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        state("a.jsonl", 7).save(&path).unwrap();
        let error = State::load(&path, &state("b.jsonl", 0)).unwrap_err();
        assert!(error.to_string().contains("the mirror of a.jsonl to http://127.0.0.1:8080"), "{error}");
        fs::write(&path, "[]").unwrap();
        assert!(matches!(State::load(&path, &state("a.jsonl", 0)), Err(StateError::Unreadable(..))));
    }
}
