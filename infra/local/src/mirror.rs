//! Bulk import: every server description of a file or another registry goes through the publish operation of a
//! registry. It is an operator's tool and asks only whom the operator named; strangers are the guarded fetcher's.

mod entry;
mod patient;
mod progress;
mod report;
mod sender;
mod source;
mod state;

use std::future::Future;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use jiff::Timestamp;
use url::Url;

pub use patient::AskError;
pub use progress::Progress;
pub use report::{Sort, Tally};
pub use sender::SendError;
pub use source::{Origin, OriginError, SourceError};
pub use state::StateError;

use entry::{Entry, Label, What};
use patient::Patient;
use report::Refusals;
use sender::{Fate, Refusal, Sender};
use source::documents::Documents;
use source::pages::Pages;
use source::{Position, Source};
use state::State;

/// How often the state is written down while a batch is under way: what a crash repeats at most.
const SAVE_EVERY: Duration = Duration::from_secs(1);
/// How many redirects of a source to itself are followed; a publish is never sent anywhere else.
const SOURCE_HOPS: usize = 3;

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
pub struct Outcome {
    /// The counts.
    pub tally: Tally,
    /// How it ended.
    pub end: End,
}

/// Mirrors until the end, or until `stop` is ready. Dropped half-way, it can be gone on with by its state.
///
/// # Errors
/// Nothing was begun: the source, the state or the report cannot be opened.
pub async fn run(
    job: &Job,
    stop: impl Future<Output = ()>,
    progress: &Progress,
) -> Result<Outcome, MirrorError> {
    let mut mirror = Mirror::begin(job, progress)?;
    let end = tokio::select! {
        biased;
        () = stop => End::Stopped,
        ended = mirror.all() => ended.map_or_else(End::Failed, |()| End::Finished),
    };
    let finished = matches!(end, End::Finished);
    let end = match mirror.close(finished) {
        Err(error) if !matches!(end, End::Failed(_)) => End::Failed(error),
        _ => end,
    };
    Ok(Outcome { tally: mirror.state.tally, end })
}

/// A mirror under way.
struct Mirror<'a> {
    job: &'a Job,
    progress: &'a Progress,
    source: Source,
    sender: Sender,
    state: State,
    saved: Instant,
    refusals: Refusals,
}

impl<'a> Mirror<'a> {
    fn begin(job: &'a Job, progress: &'a Progress) -> Result<Self, MirrorError> {
        let patient = |url: &Url, hops: usize| {
            Patient::new(url, job.per_second, job.longest_wait, hops, progress.clone())
        };
        let fresh = State {
            source: job.from.to_string(),
            to: job.to.to_string(),
            updated_since: job.updated_since.map(|since| since.to_string()),
            position: match job.from {
                Origin::Registry(_) => Position::Page { cursor: None, handled: Vec::new() },
                Origin::Stdin | Origin::File(_) => Position::Documents(0),
            },
            tally: Tally::default(),
        };
        let earlier = match &job.state {
            Some(path) => State::load(path, &fresh)?,
            None => None,
        };
        let goes_on = earlier.is_some();
        let state = earlier.unwrap_or(fresh);
        let source = match (&job.from, state.position.clone()) {
            (Origin::Registry(list), Position::Page { cursor, handled }) => {
                let patient = patient(list, SOURCE_HOPS).map_err(SourceError::Ask)?;
                let (since, at) = (job.updated_since, (cursor, handled));
                Source::Pages(Pages::begin(patient, list.clone(), since, job.deprecated_too, at))
            }
            (origin @ (Origin::Stdin | Origin::File(_)), Position::Documents(handled)) => {
                Source::Documents(Documents::open(origin, handled, job.deprecated_too)?)
            }
            _ => return Err(SourceError::ForeignPosition.into()),
        };
        let sender = if job.dry_run {
            Sender::Nowhere
        } else {
            Sender::Registry(patient(&job.to, 0).map_err(SendError::Ask)?, publish_url(&job.to))
        };
        let refusals = Refusals::open(job.report.as_deref(), goes_on)
            .map_err(|error| MirrorError::Report(job.report.clone().unwrap_or_default(), error))?;
        if goes_on {
            progress.note(&format!("going on after {} documents", state.tally.documents()));
        }
        Ok(Self { job, progress, source, sender, state, saved: Instant::now(), refusals })
    }

    /// Handles every batch of the source.
    async fn all(&mut self) -> Result<(), MirrorError> {
        while let Some(batch) = self.source.next().await? {
            self.state.position = batch.before;
            let sender = self.sender.clone();
            let fates = batch.entries.into_iter().map(|entry| fate(&sender, entry));
            // In their order, so that one position says what was handled.
            let mut fates = stream::iter(fates).buffered(self.job.concurrency.max(1));
            while let Some((label, fate)) = fates.try_next().await? {
                self.note(&label, &fate)?;
            }
            if let Some(after) = batch.after {
                self.state.position = after;
            }
            self.save()?;
        }
        Ok(())
    }

    fn note(&mut self, label: &Label, fate: &Fate) -> Result<(), MirrorError> {
        if let Fate::Refused(refusal) = fate {
            self.refusals.write(label, refusal).map_err(|error| self.unwritten(error))?;
        }
        self.state.tally.count(label, fate);
        self.state.position.pass(label);
        self.progress.show(&self.state.tally, self.source.total());
        if self.saved.elapsed() >= SAVE_EVERY { self.save() } else { Ok(()) }
    }

    /// Refusals first: a crash between the two repeats a line rather than losing one.
    fn save(&mut self) -> Result<(), MirrorError> {
        self.refusals.flush().map_err(|error| self.unwritten(error))?;
        if let Some(path) = &self.job.state {
            self.state.save(path)?;
        }
        self.saved = Instant::now();
        Ok(())
    }

    /// Writes down how far this came, or forgets it where nothing is left to do.
    fn close(&mut self, finished: bool) -> Result<(), MirrorError> {
        self.save()?;
        match &self.job.state {
            Some(path) if finished => Ok(State::remove(path)?),
            _ => Ok(()),
        }
    }

    fn unwritten(&self, error: std::io::Error) -> MirrorError {
        MirrorError::Report(self.job.report.clone().unwrap_or_default(), error)
    }
}

/// What becomes of an entry.
async fn fate(sender: &Sender, entry: Entry) -> Result<(Label, Fate), SendError> {
    let fate = match entry.what {
        What::Send(document) => sender.send(document).await?,
        What::Skip(why) => Fate::Skipped(why),
        What::Broken { code, detail } => Fate::Refused(Refusal::unsent(code, detail)),
    };
    Ok((entry.label, fate))
}

/// Where a registry takes publications.
fn publish_url(base: &Url) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/api/publish", base.path().trim_end_matches('/')));
    url
}
