//! One registry process per data file. A registry caches what it read until it writes it itself, so beside a second
//! writer it would show stale data. A process that only reads needs no lock.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// The operating system releases the lock when the process ends, also when it is killed.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "the file is locked while it is open")] File);

/// Why the data file cannot be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds the lock.
    #[error("{0} is another registry's already: stop that one, or start this one with a DATA of its own")]
    InUse(PathBuf),
    /// The lock file cannot be created or locked.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
}

impl Lock {
    /// Locks the data file at `path` by a lock file beside it: closing a second handle of the data file would release
    /// the locks of SQLite (its "How To Corrupt An SQLite Database File", §2.2).
    ///
    /// # Errors
    /// Another process holds the lock, or the lock file cannot be created.
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
