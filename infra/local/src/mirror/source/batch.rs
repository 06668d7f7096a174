//! The result of reading a source: a batch of entries or an error. A batch also contains its positions in the
//! source. So the caller can save its progress for any kind of source. An invalid entry is not an error: it
//! is counted as refused.

use url::Url;

use crate::mirror::retrying_client::RequestError;
use crate::mirror::server_entry::ServerEntry;
use crate::mirror::state::Position;

#[derive(Debug)]
pub(in crate::mirror) struct Batch {
    /// The entries, in the source's order.
    pub(in crate::mirror) entries: Vec<ServerEntry>,
    pub(in crate::mirror) before: Position,
    /// The position after them, if advancing over each entry does not result in it.
    pub(in crate::mirror) after: Option<Position>,
}

/// Why the rest of a source cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file cannot be opened or read.
    #[error("cannot read {0}: {1}")]
    Unreadable(String, std::io::Error),
    #[error("line {line}, column {column}: {why}. Expected a JSON list, a page of a registry, or JSON Lines")]
    NotJson {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The parser's message.
        why: String,
    },
    /// One JSON text is too large to be read at once.
    #[error("a JSON text exceeds {0} MiB; split it, or write one document per line (JSON Lines)")]
    TooLarge(u64),
    /// The registry did not answer.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The answer is not a page of the registry API.
    #[error("{url} is not a list of the official registry API: {why}")]
    InvalidPage {
        /// Of the page.
        url: Url,
        /// What is wrong with the answer.
        why: String,
    },
    /// The dump is damaged, incomplete or not proven by the log.
    #[error("the dump at {url} cannot be used: {why}")]
    Dump { url: Url, why: String },
    /// The next cursor of a page is its own.
    #[error("the next page of {0} is the same page")]
    PageLoop(Url),
    /// The saved position belongs to another kind of source.
    #[error("the state file belongs to another kind of source")]
    WrongPosition,
}
