//! What a mirror is asked to do, and how it ended: the interface between the mirror and its callers. The caller decides
//! how either is shown, so nothing here prints.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use url::Url;

use super::counts::Counts;
use super::origin::Origin;
use super::sender::SendError;
use super::source::SourceError;
use super::state::StateError;

/// What is to be mirrored, and how.
#[derive(Clone, Debug)]
pub struct Job {
    /// Where documents come from.
    pub from: Origin,
    /// The base URL of the registry that they go to.
    pub to: Url,
    /// Only what changed since then; for registries.
    pub updated_since: Option<Timestamp>,
    /// Deprecated servers are taken, too.
    pub deprecated_too: bool,
    /// Nothing is sent; documents are only judged.
    pub dry_run: bool,
    /// Requests a second.
    pub per_second: u32,
    /// Requests at a time.
    pub concurrency: usize,
    /// The longest wait that a registry may ask for.
    pub longest_wait: Duration,
    /// Where it is written down how far this is.
    pub state: Option<PathBuf>,
    /// Where every refusal is written.
    pub report: Option<PathBuf>,
}

/// How a mirror ended.
#[derive(Debug)]
pub enum End {
    /// Everything was handled.
    Finished,
    /// It was asked to stop.
    Stopped,
    /// It cannot go on.
    Failed(MirrorError),
}

/// Why a mirror cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    /// The source cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The registry does not take documents.
    #[error(transparent)]
    Send(#[from] SendError),
    /// The state cannot be kept.
    #[error(transparent)]
    State(#[from] StateError),
    /// The report cannot be written.
    #[error("cannot write the refusals to {0}: {1}")]
    Report(PathBuf, std::io::Error),
}

/// What became of everything, earlier runs included.
#[derive(Debug)]
pub struct Summary {
    /// The counts.
    pub counts: Counts,
    /// How it ended.
    pub end: End,
}
