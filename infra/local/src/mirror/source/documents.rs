//! A file or standard input as a source. A separate thread reads it, because reading a pipe may block. The thread sends
//! the entries through a channel of limited size. So a large JSON Lines file is never completely in memory.

use std::io::{self, BufRead, BufReader};
use std::sync::{Arc, OnceLock};

use flate2::bufread::MultiGzDecoder;
use tokio::sync::mpsc;

use super::batch::{Batch, SourceError};
use super::parser::Parser;
use crate::mirror::origin::Origin;
use crate::mirror::server_entry::ServerEntry;
use crate::mirror::state::Position;

/// The first bytes of a gzip file (RFC 1952), such as the concatenated parts of a dump.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The capacity of the channel, and the largest batch.
const BATCH_SIZE: usize = 100;

#[derive(Debug)]
pub(in crate::mirror) struct Documents {
    incoming: mpsc::Receiver<Result<ServerEntry, SourceError>>,
    /// The number of documents read, including earlier runs.
    number: u64,
    total: Arc<OnceLock<u64>>,
    failure: Option<SourceError>,
}

impl Documents {
    /// Opens a file or standard input and skips the documents that an earlier run handled.
    pub(in crate::mirror) fn open(
        origin: &Origin,
        handled: u64,
        include_deprecated: bool,
    ) -> Result<Self, SourceError> {
        let unreadable = |error| SourceError::Unreadable(origin.to_string(), error);
        let reader: Box<dyn BufRead + Send> = match origin {
            Origin::File(path) => {
                let mut file = BufReader::new(std::fs::File::open(path).map_err(unreadable)?);
                if file.fill_buf().map_err(unreadable)?.starts_with(&GZIP) {
                    Box::new(BufReader::new(MultiGzDecoder::new(file)))
                } else {
                    Box::new(file)
                }
            }
            Origin::Stdin | Origin::Registry(_) | Origin::Dump(_) => Box::new(BufReader::new(io::stdin())),
        };
        let (sender, incoming) = mpsc::channel(BATCH_SIZE);
        let total = Arc::default();
        let entries = Parser::new(reader, origin.to_string(), include_deprecated, Arc::clone(&total));
        let skipped = usize::try_from(handled).unwrap_or(usize::MAX);
        // The thread ends with the source, or when the receiver is dropped.
        let feed = move || {
            for entry in entries.skip(skipped) {
                if sender.blocking_send(entry).is_err() {
                    break;
                }
            }
        };
        std::thread::Builder::new().name("mirror-source".to_owned()).spawn(feed).map_err(unreadable)?;
        Ok(Self { incoming, number: handled, total, failure: None })
    }

    pub(super) async fn next(&mut self) -> Result<Option<Batch>, SourceError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut received = Vec::new();
        self.incoming.recv_many(&mut received, BATCH_SIZE).await;
        let mut entries = Vec::new();
        for entry in received {
            match entry {
                Ok(entry) => entries.push(entry),
                // The entries before the error are handled first.
                Err(error) if entries.is_empty() => return Err(error),
                Err(error) => self.failure = Some(error),
            }
        }
        if entries.is_empty() {
            return Ok(None);
        }
        let before = Position::Documents(self.number);
        self.number += entries.len() as u64;
        Ok(Some(Batch { entries, before, after: None }))
    }

    pub(super) fn total(&self) -> Option<u64> {
        self.total.get().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn reading_of_a_file_continues_at_the_saved_position() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("servers.jsonl");
        let lines: String = (0..250).map(|number| format!("{{\"name\": \"a/{number}\"}}\n")).collect();
        std::fs::write(&path, lines).unwrap();
        let mut source = Documents::open(&Origin::File(path), 245, false).unwrap();
        let mut labels = Vec::new();
        while let Some(batch) = source.next().await.unwrap() {
            assert_eq!(batch.before, Position::Documents(245 + labels.len() as u64));
            labels.extend(batch.entries.iter().map(|entry| entry.label.display_name().to_owned()));
        }
        assert_eq!(labels, ["a/245", "a/246", "a/247", "a/248", "a/249"]);
    }

    #[tokio::test]
    async fn error_contains_the_path_of_the_missing_file() {
        let missing = Origin::File("no/such/file.json".into());
        let error = Documents::open(&missing, 0, false).unwrap_err();
        assert!(error.to_string().starts_with("cannot read no/such/file.json: "), "{error}");
    }
}
