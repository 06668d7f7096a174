//! The input and the result of a mirror run.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use url::Url;

use super::counts::Counts;
use super::origin::Origin;
use super::sender::SendError;
use super::source::SourceError;
use super::state::StateError;

/// What to mirror, and how.
#[derive(Clone, Debug)]
pub struct Job {
    pub from: Origin,
    /// The base URL of the target registry.
    pub to: Url,
    /// Imports only servers that changed since then; for registries.
    pub updated_since: Option<Timestamp>,
    /// Publishes deprecated servers as well.
    pub include_deprecated: bool,
    /// The verifier key of the evidence log that proves a dump. Without it, the key that the source names counts.
    pub log_key: Option<String>,
    /// Only validates the documents.
    pub dry_run: bool,
    pub per_second: u32,
    pub concurrency: usize,
    /// The longest accepted `Retry-After`.
    pub longest_wait: Duration,
    /// The state file, from which an aborted run can be resumed.
    pub state: Option<PathBuf>,
    pub report: Option<PathBuf>,
}

#[derive(Debug)]
pub enum End {
    /// Everything was handled.
    Finished,
    Stopped,
    Failed(MirrorError),
}

#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Documents cannot be sent.
    #[error(transparent)]
    Send(#[from] SendError),
    /// The state cannot be read or saved.
    #[error(transparent)]
    State(#[from] StateError),
    #[error("cannot write the refusals to {0}: {1}")]
    Report(PathBuf, std::io::Error),
}

/// The result of a mirror, including earlier runs that it resumed.
#[derive(Debug)]
pub struct Summary {
    pub counts: Counts,
    pub end: End,
}
