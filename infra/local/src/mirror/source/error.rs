//! Why a source cannot be read further. A broken entry is not among them: it is counted as refused, and the entries
//! after it are read.

use url::Url;

use crate::mirror::retrying_client::RequestError;

/// Why a source cannot be read further.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file cannot be opened or read.
    #[error("cannot read {0}: {1}")]
    Unreadable(String, std::io::Error),
    /// The file is not JSON.
    #[error("line {line}, column {column}: {why}. Expected JSON: a list, a page of a registry, JSON Lines")]
    NotJson {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The parser's message.
        why: String,
    },
    /// One JSON text is larger than can be read at once.
    #[error("over {0} MiB in one JSON text; split it, or write one document a line (JSON Lines)")]
    TooLarge(u64),
    /// The registry did not answer.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// Its answer is not a page of the registry API.
    #[error("{url} is no list of the official registry API: {why}")]
    InvalidPage {
        /// The page.
        url: Url,
        /// The difference from a page.
        why: String,
    },
    /// A page names itself as the next.
    #[error("{0} names itself as the next page")]
    PageLoop(Url),
    /// The saved position belongs to another kind of source.
    #[error("the state file holds a position of another sort of source")]
    WrongPosition,
}
