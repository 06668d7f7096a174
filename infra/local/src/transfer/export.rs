//! Writes all items of a table to a file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use registry::model::{Clock, Random};
use registry::store::ItemKey;
use serde::Serialize;

use super::TransferError;
use super::file::{End, FileError, Head, Reader, Start, Sums, Writer, sha256_of};
use super::passphrase::Passphrase;
use super::place::Place;

/// The outcome of a finished export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exported {
    pub file: PathBuf,
    /// Of the file as it is.
    pub sha256: String,
    pub items: u64,
    pub pages: u64,
    /// Pages that an earlier, interrupted run wrote.
    pub earlier_pages: u64,
    /// The partitions of keys whose private half stays in the key service.
    pub keys_in_service: Vec<String>,
}

/// Where an export stands: the file, and the key after which it continues.
struct Progress {
    writer: Writer,
    sums: Sums,
    /// `None` if the last page is written.
    next: Option<Option<ItemKey>>,
}

/// Exports a table to `file`. Until it is finished, the file has the extension `.partial`; a second run continues it.
///
/// # Errors
/// See [`TransferError`].
pub async fn export(
    source: &Place,
    file: &Path,
    passphrase: &Passphrase,
    clock: &Clock,
    random: &Random,
) -> Result<Exported, TransferError> {
    if file.exists() {
        return Err(TransferError::Exists(file.to_path_buf()));
    }
    let opened = source.open_source().await?;
    let failed = |error| source.failure(error);
    if opened.store.unfinished_import().await.map_err(failed)?.is_some() {
        return Err(TransferError::UnfinishedSource(opened.name));
    }
    let partial = partial_of(file);
    let start = Start { source: opened.name.clone(), at: clock.now(), program: registry::VERSION.to_owned() };
    let mut progress = match resumed(&partial, passphrase, &start.source)? {
        Some(progress) => progress,
        None => begun(&partial, passphrase, start, random)?,
    };
    let earlier_pages = progress.sums.pages;
    while let Some(after) = progress.next.take() {
        let page = opened.store.item_page(after).await.map_err(failed)?;
        progress.next = page.next.clone().map(Some);
        let head = Head::Page { contents: page.contents, next: page.next };
        progress.write(head, &page.lines, random)?;
        tracing::info!(pages = progress.sums.pages, items = progress.sums.contents.items, "exported");
    }
    let End { pages, contents, sha256 } = progress.sums.end();
    let end = Head::End(End { pages, contents: contents.clone(), sha256 });
    progress.write(end, "", random)?;
    progress.writer.finish(file)?;
    Ok(Exported {
        file: file.to_path_buf(),
        sha256: sha256_of(file)?,
        items: contents.items,
        pages,
        earlier_pages,
        keys_in_service: contents.keys_in_service.into_iter().collect(),
    })
}

impl Progress {
    fn write(&mut self, head: Head, lines: &str, random: &Random) -> Result<(), FileError> {
        self.writer.write(head, lines, &mut self.sums, random)
    }
}

/// The file of an unfinished export.
fn partial_of(file: &Path) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".partial");
    PathBuf::from(name)
}

fn begun(
    partial: &Path,
    passphrase: &Passphrase,
    start: Start,
    random: &Random,
) -> Result<Progress, TransferError> {
    let writer = Writer::create(partial, passphrase, random)?;
    let mut progress = Progress { writer, sums: Sums::default(), next: Some(None) };
    progress.write(Head::Start(start), "", random)?;
    Ok(progress)
}

/// Reads and checks what an earlier run wrote. A frame that it did not finish is written again.
fn resumed(partial: &Path, passphrase: &Passphrase, source: &str) -> Result<Option<Progress>, TransferError> {
    if std::fs::metadata(partial).map_or(0, |file| file.len()) == 0 {
        return Ok(None);
    }
    let mut reader = Reader::open(partial, passphrase)?;
    let (frame, start) = reader.start()?;
    if start.source != source {
        return Err(TransferError::OtherExport {
            file: partial.to_path_buf(),
            found: start.source,
            wanted: source.to_owned(),
        });
    }
    let (mut sums, mut next) = (Sums::default(), Some(None));
    sums.add(&frame);
    let reader = loop {
        match reader.frame() {
            Ok(frame) => match &frame.head {
                Head::Page { next: key, .. } => {
                    next = key.clone().map(Some);
                    sums.add(&frame);
                }
                Head::End(_) => break reader.without_last(),
                Head::Start(_) => return Err(reader.damaged().into()),
            },
            Err(FileError::Cut(..)) => break reader,
            Err(error) => return Err(error.into()),
        }
    };
    Ok(Some(Progress { writer: reader.into_writer()?, sums, next }))
}
