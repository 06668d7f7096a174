//! A place for the tables that are measured, beside the builds: on a real disk, and gone with the measurement.

use std::fs;
use std::path::PathBuf;

use crate::{Failure, processes};

/// A folder of this run; it is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new, empty folder.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn new() -> Result<Self, Failure> {
        let folder = processes::target_folder()?.join(format!("bench-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    /// The path of a file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("bench: {} stays behind: {error}", self.0.display());
        }
    }
}
