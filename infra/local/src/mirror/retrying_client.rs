//! Sends requests to one registry at a limited rate and repeats failed requests. A bulk import often gets rate limits
//! and temporary errors, so the client obeys `Retry-After`. Every wait has a maximum and is reported.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::StatusCode;
use jiff::Timestamp;
use serde_json::Value;
use tokio::time::{Instant, sleep};
use url::Url;

use super::http_client::{REQUEST_TIMEOUT, client, retry_after};
use super::progress::Progress;
use super::rate_limiter::RateLimiter;
use super::sanitize::error_message;

/// In bytes: a page of a hundred of the largest documents.
const MAX_ANSWER: usize = 32 << 20;
const MAX_ATTEMPTS: u32 = 5;

/// Why a request got no usable answer.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error("cannot create the HTTP client: {0}")]
    Client(String),
    /// No connection, or an incomplete answer.
    #[error("{origin} does not answer: {why}")]
    Unreachable {
        origin: String,
        /// The innermost cause.
        why: String,
    },
    /// The registry is still busy after all attempts.
    #[error("{origin} still answers {status} after {MAX_ATTEMPTS} attempts")]
    Busy {
        origin: String,
        /// The last status.
        status: StatusCode,
    },
    /// `Retry-After` is longer than allowed.
    #[error("{origin} requires a wait of {} s, but at most {} s are allowed{message}", requested.as_secs(), allowed.as_secs())]
    LongWait {
        origin: String,
        /// `Retry-After`.
        requested: Duration,
        allowed: Duration,
        message: String,
    },
    #[error("the answer of {0} exceeds {mib} MiB", mib = MAX_ANSWER >> 20)]
    TooLarge(String),
}

#[derive(Clone, Debug)]
pub(super) struct Response {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(super) struct RetryingClient {
    client: reqwest::Client,
    origin: String,
    longest_wait: Duration,
    rate_limiter: Arc<RateLimiter>,
    /// Only a host that has answered before is tried again: another one is probably a wrong address.
    answered_before: Arc<AtomicBool>,
    progress: Progress,
}

impl RetryingClient {
    pub(super) fn new(
        url: &Url,
        per_second: u32,
        longest_wait: Duration,
        max_redirects: usize,
        progress: Progress,
    ) -> Result<Self, RequestError> {
        Ok(Self {
            client: client(url, max_redirects).map_err(RequestError::Client)?,
            origin: url.origin().ascii_serialization(),
            longest_wait,
            rate_limiter: Arc::new(RateLimiter::new(Duration::from_secs(1) / per_second.max(1))),
            answered_before: Arc::default(),
            progress,
        })
    }

    pub(super) async fn send(
        &self,
        request: impl Fn(&reqwest::Client) -> reqwest::RequestBuilder,
    ) -> Result<Response, RequestError> {
        let mut attempt = 1;
        loop {
            self.rate_limiter.acquire().await;
            let backoff = Duration::from_secs(1 << (attempt - 1));
            let last = attempt == MAX_ATTEMPTS;
            match self.send_once(request(&self.client)).await {
                Ok((answer, _)) if !is_transient(answer.status) || is_host_limit(&answer) => {
                    return Ok(answer);
                }
                Ok((answer, _)) if last && answer.status == StatusCode::INTERNAL_SERVER_ERROR => {
                    return Ok(answer);
                }
                Ok((Response { status, .. }, _)) if last => {
                    return Err(RequestError::Busy { origin: self.origin.clone(), status });
                }
                Ok((answer, retry_after)) => self.wait(&answer, retry_after.unwrap_or(backoff)).await?,
                Err(error @ RequestError::Unreachable { .. })
                    if !last && self.answered_before.load(Ordering::Relaxed) =>
                {
                    self.progress.note(&format!("{error}; trying again in {} s", backoff.as_secs()));
                    sleep(backoff).await;
                }
                Err(error) => return Err(error),
            }
            attempt += 1;
        }
    }

    /// Returns the response and its `Retry-After`.
    async fn send_once(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<(Response, Option<Duration>), RequestError> {
        let unreachable = |error: reqwest::Error| RequestError::Unreachable {
            origin: self.origin.clone(),
            why: innermost_cause(&error),
        };
        let mut response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        let retry_after = retry_after(response.headers(), Timestamp::now());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            if body.len() + chunk.len() > MAX_ANSWER {
                return Err(RequestError::TooLarge(self.origin.clone()));
            }
            body.extend_from_slice(&chunk);
        }
        self.answered_before.store(true, Ordering::Relaxed);
        Ok((Response { status, body }, retry_after))
    }

    /// Rate limits and overload pause all requests, other faults only this one.
    async fn wait(&self, answer: &Response, requested: Duration) -> Result<(), RequestError> {
        let message = error_message(&serde_json::from_slice(&answer.body).unwrap_or_default());
        if requested > self.longest_wait {
            return Err(RequestError::LongWait {
                origin: self.origin.clone(),
                requested,
                allowed: self.longest_wait,
                message,
            });
        }
        let notice = || {
            let (origin, status, seconds) = (&self.origin, answer.status.as_u16(), requested.as_secs());
            format!("{origin} answers {status}: waiting {seconds} s{message}")
        };
        let pauses_all =
            matches!(answer.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        if !pauses_all {
            self.progress.note(&notice());
            sleep(requested).await;
        } else if self.rate_limiter.pause_until(Instant::now() + requested) {
            self.progress.note(&notice());
        }
        Ok(())
    }
}

fn is_transient(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 500 | 502 | 503 | 504)
}

/// The limit of one publisher's host: the document is refused, and documents of other hosts need not wait.
fn is_host_limit(answer: &Response) -> bool {
    let problem = || serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
    answer.status == StatusCode::TOO_MANY_REQUESTS && problem()["allowance"] == "host"
}

fn innermost_cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no complete answer within {} s", REQUEST_TIMEOUT.as_secs());
    }
    let mut cause = error.source();
    while let Some(source) = cause.and_then(|error| error.source()) {
        cause = Some(source);
    }
    cause.map_or_else(|| error.to_string(), ToString::to_string)
}
