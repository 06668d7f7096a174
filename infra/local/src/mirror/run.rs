//! The loop of a mirror: read a batch, send its entries, save the position. Several requests run at the same time. But
//! outcomes are recorded in the order of the source, so that one position shows which entries were handled.

use std::future::Future;
use std::time::{Duration, Instant};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use url::Url;

use super::counts::{Counts, Outcome, Refusal};
use super::job::{End, Job, MirrorError, Summary};
use super::origin::Origin;
use super::progress::Progress;
use super::refusal_log::RefusalLog;
use super::retrying_client::RetryingClient;
use super::sender::{SendError, Sender};
use super::server_entry::{Action, Label, ServerEntry};
use super::source::{Documents, Dump, Pages, Source, SourceError};
use super::state::{Position, State};

/// Limits the work that is repeated after a crash.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);
/// Redirects within the origin of the source; publish requests follow none.
const MAX_SOURCE_REDIRECTS: usize = 3;

/// Mirrors until the end, or until `stop` is ready. A dropped run can be resumed from its state file.
///
/// # Errors
/// The source, the state or the report cannot be opened; nothing is sent.
pub async fn run(
    job: &Job,
    stop: impl Future<Output = ()>,
    progress: &Progress,
) -> Result<Summary, MirrorError> {
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
    Ok(Summary { counts: mirror.state.counts, end })
}

struct Mirror<'a> {
    job: &'a Job,
    progress: &'a Progress,
    source: Source,
    sender: Sender,
    state: State,
    saved: Instant,
    refusals: RefusalLog,
}

impl<'a> Mirror<'a> {
    fn begin(job: &'a Job, progress: &'a Progress) -> Result<Self, MirrorError> {
        let retrying_client = |url: &Url, redirects: usize| {
            RetryingClient::new(url, job.per_second, job.longest_wait, redirects, progress.clone())
        };
        let initial = State {
            source: job.from.to_string(),
            to: job.to.to_string(),
            updated_since: job.updated_since.map(|since| since.to_string()),
            position: match job.from {
                Origin::Registry(_) => Position::Page { cursor: None, handled: Vec::new() },
                Origin::Dump(_) => Position::Dump { sha256: String::new(), handled: 0 },
                Origin::Stdin | Origin::File(_) => Position::Documents(0),
            },
            counts: Counts::default(),
        };
        let earlier = match &job.state {
            Some(path) => State::load(path, &initial)?,
            None => None,
        };
        let resumed = earlier.is_some();
        let state = earlier.unwrap_or(initial);
        let source = match (&job.from, state.position.clone()) {
            (Origin::Registry(list), Position::Page { cursor, handled }) => {
                let retrying_client =
                    retrying_client(list, MAX_SOURCE_REDIRECTS).map_err(SourceError::Request)?;
                let (since, at) = (job.updated_since, (cursor, handled));
                Source::Pages(Pages::new(retrying_client, list.clone(), since, job.include_deprecated, at))
            }
            (Origin::Dump(list), Position::Dump { sha256, handled }) => {
                let client = retrying_client(list, MAX_SOURCE_REDIRECTS).map_err(SourceError::Request)?;
                Source::Dump(Box::new(Dump::new(client, job, list, sha256, handled, progress.clone())))
            }
            (origin @ (Origin::Stdin | Origin::File(_)), Position::Documents(handled)) => {
                Source::Documents(Documents::open(origin, handled, job.include_deprecated)?)
            }
            _ => return Err(SourceError::WrongPosition.into()),
        };
        let sender = if job.dry_run {
            Sender::DryRun
        } else {
            Sender::Registry(retrying_client(&job.to, 0).map_err(SendError::Request)?, publish_url(&job.to))
        };
        let refusals = RefusalLog::open(job.report.as_deref(), resumed)
            .map_err(|error| MirrorError::Report(job.report.clone().unwrap_or_default(), error))?;
        if resumed {
            progress.note(&format!("continuing after {} documents", state.counts.documents()));
        }
        Ok(Self { job, progress, source, sender, state, saved: Instant::now(), refusals })
    }

    async fn all(&mut self) -> Result<(), MirrorError> {
        while let Some(batch) = self.source.next().await? {
            self.state.position = batch.before;
            let sender = self.sender.clone();
            let outcomes = batch.entries.into_iter().map(|entry| outcome(&sender, entry));
            let mut outcomes = stream::iter(outcomes).buffered(self.job.concurrency.max(1));
            while let Some((label, outcome)) = outcomes.try_next().await? {
                self.record(&label, &outcome)?;
            }
            if let Some(after) = batch.after {
                self.state.position = after;
            }
            self.save()?;
        }
        Ok(())
    }

    fn record(&mut self, label: &Label, outcome: &Outcome) -> Result<(), MirrorError> {
        if let Outcome::Refused(refusal) = outcome {
            self.refusals.write(label, refusal).map_err(|error| self.report_error(error))?;
        }
        self.state.counts.add(label, outcome);
        self.state.position.advance(label);
        self.progress.show(&self.state.counts, self.source.total());
        if self.saved.elapsed() >= SAVE_INTERVAL { self.save() } else { Ok(()) }
    }

    /// Writes the refusals first: a crash before the state is saved repeats a refusal instead of losing it.
    fn save(&mut self) -> Result<(), MirrorError> {
        self.refusals.flush().map_err(|error| self.report_error(error))?;
        if let Some(path) = &self.job.state {
            self.state.save(path)?;
        }
        self.saved = Instant::now();
        Ok(())
    }

    /// Removes the state of a finished run, so that the next run starts over.
    fn close(&mut self, finished: bool) -> Result<(), MirrorError> {
        self.save()?;
        match &self.job.state {
            Some(path) if finished => Ok(State::remove(path)?),
            _ => Ok(()),
        }
    }

    fn report_error(&self, error: std::io::Error) -> MirrorError {
        MirrorError::Report(self.job.report.clone().unwrap_or_default(), error)
    }
}

async fn outcome(sender: &Sender, entry: ServerEntry) -> Result<(Label, Outcome), SendError> {
    let outcome = match entry.action {
        Action::Send(document) => sender.send(document).await?,
        Action::SendUrl(bodies) => {
            let mut outcome = Outcome::Skipped("it has no URL");
            for body in bodies {
                outcome = sender.publish(body).await?;
                if matches!(outcome, Outcome::Refused(_)) {
                    break;
                }
            }
            outcome
        }
        Action::Skip(reason) => Outcome::Skipped(reason),
        Action::Invalid { code, detail } => Outcome::Refused(Refusal::unsent(code, detail)),
    };
    Ok((entry.label, outcome))
}

fn publish_url(base: &Url) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/api/publish", base.path().trim_end_matches('/')));
    url
}
