//! Allows only one registry process per data file. A registry caches an item until it changes the item
//! itself. So if a second process wrote to the file, the first process would show old data.

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The operating system releases the lock when the process ends, even if it is killed.
#[derive(Debug)]
pub(crate) struct Lock(File);

/// Why the data file cannot be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another registry uses {0}; stop that registry, or set DATA to another file")]
    InUse(PathBuf),
    #[error("{0}")]
    File(PathBuf, #[source] std::io::Error),
}

impl Lock {
    /// Uses a separate lock file, because closing a second handle of the data file would release the locks of SQLite
    /// (its "How To Corrupt An SQLite Database File", §2.2).
    pub(crate) fn on(path: &Path) -> Result<Self, LockError> {
        let lock_file = lock_file(path);
        let open = File::options().create(true).append(true).open(&lock_file);
        let file = open.map_err(|error| LockError::File(lock_file.clone(), error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(LockError::InUse(path.to_path_buf())),
            Err(TryLockError::Error(error)) => Err(LockError::File(lock_file, error)),
        }
    }

    /// Writes the URL of the registry into the file, so that the operator's commands find it. If this fails, they cannot.
    pub(crate) fn name(&self, url: &str) {
        let _unnamed = self.0.set_len(0).and_then(|()| (&self.0).write_all(url.as_bytes()));
    }
}

/// The URL of the registry that uses the data file.
pub(crate) fn registry_at(path: &Path) -> String {
    std::fs::read_to_string(lock_file(path)).unwrap_or_default()
}

fn lock_file(path: &Path) -> PathBuf {
    let mut lock_file = path.as_os_str().to_owned();
    lock_file.push(".lock");
    PathBuf::from(lock_file)
}
