//! Requests to other directories and registries, through the guarded fetcher and within limits.

use std::time::Duration;

use http::StatusCode;
use serde::de::DeserializeOwned;

use crate::prelude::*;
use registry_fetch::{
    Answer, FetchError, Fetcher, MAX_ENDPOINT_ANSWER_BYTES, PROBE, Request, Target, TargetError,
};
use registry_model::characters::is_hidden;
use registry_model::{Clock, Reach};

const ACCEPT: &str = "application/ai-catalog+json, application/json";
const MAX_ATTEMPTS: u32 = 5;
const MAX_DETAIL_CHARS: usize = 240;

/// How other servers are asked.
#[derive(Clone, Debug)]
pub struct Client {
    pub fetcher: Fetcher,
    pub clock: Clock,
    /// For one request and its whole answer.
    pub deadline: Duration,
    pub max_bytes: usize,
    pub max_values: usize,
    /// A busy server may ask for a shorter pause. Zero: a request is never repeated.
    pub longest_pause: Duration,
}

/// Why a document of another server cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{url}: {why}")]
pub struct SourceError {
    pub url: String,
    pub why: String,
    /// A short code that is safe to publish.
    pub code: String,
    /// The status of an answer without a document.
    pub status: Option<StatusCode>,
}

impl SourceError {
    pub(super) fn new(url: &str, code: &str, why: impl Into<String>) -> Self {
        Self { url: url.to_owned(), why: why.into(), code: code.to_owned(), status: None }
    }
}

impl Client {
    /// With the limits for requests that the registry itself sends.
    pub fn of(app: &App) -> Self {
        Self {
            fetcher: app.fetcher.clone(),
            clock: app.clock.clone(),
            deadline: PROBE,
            max_bytes: MAX_ENDPOINT_ANSWER_BYTES,
            max_values: 200_000,
            longest_pause: Duration::ZERO,
        }
    }

    pub fn reach(&self) -> Reach {
        self.fetcher.reach()
    }

    pub(crate) async fn json(&self, url: &str) -> Result<Value, SourceError> {
        let answer = self.get(url).await?;
        answer
            .json(&mut { self.max_values })
            .map_err(|error| SourceError::new(url, "not_json", format!("it is not JSON ({error})")))
    }

    pub(super) async fn read<T: DeserializeOwned>(&self, url: &str) -> Result<T, SourceError> {
        serde_json::from_value(self.json(url).await?)
            .map_err(|error| SourceError::new(url, "not_json", format!("it cannot be read ({error})")))
    }

    pub(super) async fn get(&self, url: &str) -> Result<Answer, SourceError> {
        let blocked = |error: TargetError| SourceError::new(url, error.code().as_str(), error.to_string());
        let target = Target::parse(url, self.reach()).map_err(blocked)?;
        let answer = self.send(|| Request::get(target.clone()).with_header("accept", ACCEPT)).await;
        let answer = answer.map_err(|error| SourceError::new(url, error.code(), error.to_string()))?;
        if answer.status.is_success() {
            return Ok(answer);
        }
        let code = format!("status_{}", answer.status.as_u16());
        let why = format!("it answers {}{}", answer.status, problem_detail(&answer));
        Err(SourceError { status: Some(answer.status), ..SourceError::new(url, &code, why) })
    }

    /// Sends a request, and again after the pause that a busy server asks for.
    ///
    /// # Errors
    /// There is no complete answer.
    pub async fn send(&self, request: impl Fn() -> Request) -> Result<Answer, FetchError> {
        let mut attempt = 1;
        loop {
            let request = request().with_deadline(self.deadline).with_max_bytes(self.max_bytes);
            let answer = self.fetcher.send(request).await?;
            let seconds = answer.header("retry-after").and_then(|text| text.trim().parse().ok());
            let pause = Duration::from_secs(seconds.unwrap_or(1 << attempt));
            if attempt == MAX_ATTEMPTS || !is_busy(&answer) || pause >= self.longest_pause {
                return Ok(answer);
            }
            tracing::info!(host = answer.target.host(), seconds = pause.as_secs(), "busy; waiting");
            tokio::time::sleep(pause).await;
            attempt += 1;
        }
    }
}

/// A colon and what the server says about its refusal, as a text for terminals and CI runners; empty if it says nothing.
#[must_use]
pub fn problem_detail(answer: &Answer) -> String {
    let problem = answer.json(&mut { 1000 }).unwrap_or_default();
    let Some(detail) = problem["detail"].as_str() else { return String::new() };
    let detail = detail.replace(is_hidden, " ").replace("##[", "## [");
    format!(": {}", shorten(&detail, MAX_DETAIL_CHARS))
}

/// The limit of one publisher's host is a refusal: documents of other hosts need not wait.
fn is_busy(answer: &Answer) -> bool {
    matches!(answer.status.as_u16(), 429 | 502 | 503 | 504)
        && !answer.json(&mut { 1000 }).is_ok_and(|problem| problem["allowance"] == "host")
}
