//! Data is one registry's at a time. Each remembers what it read until it writes it itself, so beside another it would
//! show what is no longer so. Whoever only looks on needs no lock.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// Data taken by this process, until it ends however it ends.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "open, it is locked")] File);

/// Why data cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error("{0} is another registry's already: stop that one, or start this one with a DATA of its own")]
    InUse(PathBuf),
    /// The file that says whose it is cannot be used.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
}

impl Lock {
    /// Takes the data in the file at `path`. The lock is on a file beside it: closing the data's own file once more
    /// would give up the locks of SQLite (its "How To Corrupt An SQLite Database File", §2.2).
    ///
    /// # Errors
    /// Another process has it, or no file can be made beside it.
    pub(crate) fn on(path: &Path) -> Result<Self, LockError> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".lock");
        let beside = PathBuf::from(beside);
        let open = File::options().create(true).append(true).open(&beside);
        let file = open.map_err(|error| LockError::File(beside.clone(), error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(LockError::InUse(path.to_path_buf())),
            Err(TryLockError::Error(error)) => Err(LockError::File(beside, error)),
        }
    }
}
