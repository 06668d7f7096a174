//! A temporary folder for the tables of benchmarks. It is in the target folder, so that the tables are on a real disk.

use std::fs;
use std::path::PathBuf;

use crate::{Failure, processes};

/// A folder of this run. It is removed on drop.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new, empty folder.
    ///
    /// # Errors
    /// It cannot be created.
    pub(crate) fn new() -> Result<Self, Failure> {
        let folder = processes::target_folder()?.join(format!("bench-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    /// The path of a file in the folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("bench: {} could not be removed: {error}", self.0.display());
        }
    }
}
