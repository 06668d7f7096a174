//! Reads a file into an empty table. The whole file is checked before the first item is written.

use std::path::{Path, PathBuf};

use registry::store::{Contents, UnfinishedImport};
use serde::Serialize;

use super::TransferError;
use super::file::{End, FileError, Head, Reader, Sums};
use super::passphrase::Passphrase;
use super::place::Place;

/// The outcome of a finished import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Imported {
    pub file: PathBuf,
    pub target: String,
    /// The table that was exported.
    pub source: String,
    pub items: u64,
    pub pages: u64,
    /// Pages that an earlier, interrupted run had imported.
    pub earlier_pages: u64,
    /// The partitions of keys that stayed in their key service, if the target may not use it.
    pub keys_left_behind: Vec<String>,
}

/// Imports a file. If an earlier run was interrupted, the import continues after its last page. `has_key_service`: the
/// registry at the target may use the same key service as the source.
///
/// # Errors
/// See [`TransferError`].
pub async fn import(
    target: &Place,
    file: &Path,
    passphrase: &Passphrase,
    has_key_service: bool,
) -> Result<Imported, TransferError> {
    let (source, end) = checked(file, passphrase)?;
    if !has_key_service && end.contents.has_log_key_in_service() {
        return Err(TransferError::LogKeyInService);
    }
    let opened = target.open_target().await?;
    let failed = |error| target.failure(error);
    let store = &opened.store;
    let mut progress = match store.unfinished_import().await.map_err(failed)? {
        Some(earlier) if earlier.sha256 == end.sha256 => earlier,
        Some(_) => return Err(TransferError::OtherImport(opened.name)),
        None if store.is_empty().await.map_err(failed)? => {
            let progress = UnfinishedImport { sha256: end.sha256, pages: 0 };
            store.record_import(&progress).await.map_err(failed)?;
            progress
        }
        None => return Err(TransferError::NotEmpty(opened.name)),
    };
    let earlier_pages = progress.pages;
    let mut reader = Reader::open(file, passphrase)?;
    reader.start()?;
    for page in 0..end.pages {
        let frame = reader.frame()?;
        if page < progress.pages {
            continue;
        }
        store.put_page(frame.lines(), has_key_service).await.map_err(failed)?;
        progress.pages = page + 1;
        store.record_import(&progress).await.map_err(failed)?;
        tracing::info!(pages = progress.pages, of = end.pages, "imported");
    }
    store.complete_import().await.map_err(failed)?;
    let items = end.contents.items;
    let left_behind = if has_key_service { Contents::default() } else { end.contents };
    Ok(Imported {
        file: file.to_path_buf(),
        target: opened.name,
        source,
        items,
        pages: end.pages,
        earlier_pages,
        keys_left_behind: left_behind.keys_in_service.into_iter().collect(),
    })
}

/// Reads the whole file and compares its sums with its last frame. Returns the description of its source.
fn checked(file: &Path, passphrase: &Passphrase) -> Result<(String, End), FileError> {
    let mut reader = Reader::open(file, passphrase)?;
    let (frame, start) = reader.start()?;
    let mut sums = Sums::default();
    sums.add(&frame);
    loop {
        let frame = reader.frame()?;
        match &frame.head {
            Head::Page { .. } => sums.add(&frame),
            Head::End(end) if *end == sums.end() && reader.is_at_end()? => {
                return Ok((start.source, end.clone()));
            }
            Head::Start(_) | Head::End(_) => return Err(reader.damaged()),
        }
    }
}
