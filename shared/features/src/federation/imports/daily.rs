//! Imports the sources of the setting `IMPORT_SOURCES` once a day. The job runs every hour: a run reads some pages of each
//! source and stores where it stopped, and the next run continues there. If the source refuses the stored cursor, the next
//! run starts at the first page.

use http::StatusCode;
use jiff::SignedDuration;
use url::Url;

use crate::federation::imports::{Candidate, Client, Import, ImportReport, Outcome, Sender, Source, Stopped};
use crate::prelude::*;
use crate::publish::listing::publish;
use crate::publish::submission::{PublishRequest, Submission, Submitted};
use registry_model::ImportState;
use registry_store::StoreError;

/// Of one source in one run. A page of a registry has at most 100 entries.
const PAGES_PER_RUN: usize = 5;
/// Of one source in one run.
const CANDIDATES_PER_RUN: usize = 500;
/// A part of a dump is larger than other answers.
const MAX_ANSWER_BYTES: usize = 8 << 20;
/// The time between two imports of a source.
const INTERVAL: SignedDuration = SignedDuration::from_hours(23);

/// Imports what is due of the sources in the settings.
pub async fn run(app: &App) -> Result<ImportReport, StoreError> {
    let (mut report, mut failed) = (ImportReport::default(), None);
    for name in &app.settings.import_sources {
        let Ok(url) = Url::parse(name) else { continue };
        let mut state = app.store.import_state(name).await?;
        let is_due = |since: Moment| app.clock.now().duration_since(since) >= INTERVAL;
        if state.begun_at.is_none() && !state.complete_since.is_none_or(is_due) {
            continue;
        }
        state.begun_at.get_or_insert(app.clock.now());
        let source = Source::of_url(url, None);
        let client = Client { max_bytes: MAX_ANSWER_BYTES, ..Client::of(app) };
        let mut import = Import { source, client, sender: OwnRegistry(app), state, report };
        // A fault at one source must not stop the others.
        let read = read_pages(&mut import).await;
        app.store.keep_import_state(name, &import.state).await?;
        report = import.report;
        failed = failed.or(read.err());
    }
    failed.map_or(Ok(report), Err)
}

async fn read_pages(import: &mut Import<OwnRegistry<'_>>) -> Result<(), StoreError> {
    let mut left = CANDIDATES_PER_RUN;
    for _ in 0..PAGES_PER_RUN {
        match import.page(&mut left).await {
            Ok(true) => {
                import.state =
                    ImportState { complete_since: import.state.begun_at, ..ImportState::default() };
                break;
            }
            Ok(false) if left == 0 => break,
            Ok(false) => {}
            Err(Stopped::Source(error)) => {
                import.report.failed += 1;
                if error.status.is_some_and(refuses_cursor) {
                    (import.state.cursor, import.state.handled) = (None, 0);
                }
                break;
            }
            Err(Stopped::Sender(error)) => return Err(error),
        }
    }
    Ok(())
}

/// Cursors can expire. The other 4xx statuses are temporary or concern the caller.
fn refuses_cursor(status: StatusCode) -> bool {
    let is_other = matches!(status.as_u16(), 401 | 403 | 407 | 408 | 425 | 429);
    status.is_client_error() && !is_other
}

/// Publishes in this registry itself.
struct OwnRegistry<'a>(&'a App);

impl Sender for OwnRegistry<'_> {
    type Error = StoreError;

    async fn publish(&mut self, candidate: &Candidate) -> Result<Outcome, StoreError> {
        let mut outcome = Outcome::Skipped;
        for body in &candidate.bodies {
            let request = serde_json::from_value::<PublishRequest>(body.clone()).ok();
            let submission =
                request.and_then(|request| Submission::parse(request, self.0.settings.reach()).ok());
            let Some(submission) = submission else { return Ok(Outcome::Refused) };
            if !is_wanted(self.0, &submission).await? {
                continue;
            }
            match publish(self.0, &Caller::default(), &submission).await {
                Ok(_) => outcome = Outcome::Published,
                Err(Problem { internal: Some(internal), .. }) => {
                    return Err(StoreError::Busy(internal.into()));
                }
                Err(_) => return Ok(Outcome::Refused),
            }
        }
        Ok(outcome)
    }
}

/// What is listed here already is left as it is, unless it is another version of a server.
async fn is_wanted(app: &App, submission: &Submission) -> Result<bool, StoreError> {
    let known = app.store.listing(&submission.ids().0).await?;
    Ok(match &submission.what {
        Submitted::Url { .. } => known.is_none(),
        Submitted::Server(server) => {
            // Packages say nothing if they are not checked.
            let is_checked = !server.remotes.is_empty() || !app.settings.package_registries.is_empty();
            is_checked && known.is_none_or(|known| known.texts.version.as_ref() != Some(&server.version))
        }
    })
}
