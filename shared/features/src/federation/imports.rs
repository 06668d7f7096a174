//! Imports what other directories list. A [`Source`] is read page by page, and each [`Candidate`] in a page is published
//! like any other submission, so only a probe makes it Live. [`run`] imports the sources of the settings in the daily job;
//! `registry mirror` sends the candidates to a registry over HTTP. An import that stopped continues where it stands.

mod candidate;
mod client;
mod daily;
mod dump;
mod source;

use serde::{Deserialize, Serialize};

use registry_model::ImportState;

pub use candidate::Candidate;
pub(crate) use candidate::server_of;
pub use client::{Client, SourceError, problem_detail};
pub use daily::run;
pub use source::Source;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReport {
    pub published: usize,
    pub refused: usize,
    /// Listed already, deleted, or not probeable.
    pub skipped: usize,
    /// Sources that did not answer.
    pub failed: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Published,
    Refused,
    Skipped,
}

/// Publishes candidates in a registry.
pub trait Sender {
    /// Why the import cannot go on.
    type Error;

    fn publish(&mut self, candidate: &Candidate)
    -> impl Future<Output = Result<Outcome, Self::Error>> + Send;
}

#[derive(Debug)]
pub enum Stopped<E> {
    Source(SourceError),
    Sender(E),
}

#[derive(Debug)]
pub struct Import<S> {
    pub source: Source,
    pub client: Client,
    pub sender: S,
    pub state: ImportState,
    pub report: ImportReport,
}

impl<S: Sender> Import<S> {
    /// Publishes the rest of the current page, at most `left` candidates. Returns true at the end of the source. After an
    /// error, `state` is at the candidate that was not published.
    ///
    /// # Errors
    /// The source cannot be read, or the registry takes no candidates.
    pub async fn page(&mut self, left: &mut usize) -> Result<bool, Stopped<S::Error>> {
        let page = self.source.page(&self.client, &self.state).await.map_err(Stopped::Source)?;
        for candidate in page.candidates.skip(self.state.handled) {
            if *left == 0 {
                return Ok(false);
            }
            let outcome = if candidate.bodies.is_empty() {
                Outcome::Skipped
            } else {
                self.sender.publish(&candidate).await.map_err(Stopped::Sender)?
            };
            match outcome {
                Outcome::Published => self.report.published += 1,
                Outcome::Refused => self.report.refused += 1,
                Outcome::Skipped => self.report.skipped += 1,
            }
            self.state.handled += 1;
            *left -= 1;
        }
        (self.state.cursor, self.state.handled) = (page.next, 0);
        Ok(self.state.cursor.is_none())
    }
}
