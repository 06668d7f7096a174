//! Requests to one registry, at a limited rate and with retries. A bulk import meets rate limits and transient faults as
//! a matter of course; it honours `Retry-After`, and every wait is bounded and reported.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::StatusCode;
use jiff::Timestamp;
use serde_json::Value;
use tokio::time::{Instant, sleep};
use url::Url;

use super::http_client::{DEADLINE, client};
use super::progress::Progress;
use super::rate_limiter::RateLimiter;
use super::retry_after::retry_after;
use super::sanitize::error_message;

/// The largest answer, in bytes: a hundred entries of the largest documents that registries take.
const LARGEST_ANSWER: usize = 32 << 20;
/// How often one request is sent before its fault counts as permanent.
const ATTEMPTS: u32 = 5;

/// Why a request got no usable answer.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The client cannot be made.
    #[error("no HTTP client: {0}")]
    Client(String),
    /// There is no connection, or the answer is incomplete.
    #[error("{origin} does not answer: {why}")]
    Unreachable {
        /// The registry.
        origin: String,
        /// The innermost cause.
        why: String,
    },
    /// It is busy after all attempts.
    #[error("{origin} still answers {status} after {ATTEMPTS} attempts")]
    Busy {
        /// The registry.
        origin: String,
        /// The last status.
        status: StatusCode,
    },
    /// `Retry-After` is longer than allowed.
    #[error("{origin} takes nothing for another {} s, and only {} s of waiting are allowed{message}", asked.as_secs(), allowed.as_secs())]
    LongWait {
        /// The registry.
        origin: String,
        /// The requested wait.
        asked: Duration,
        /// The longest allowed wait.
        allowed: Duration,
        /// Its error message.
        message: String,
    },
    /// Its answer is too large.
    #[error("{0} answers more than {mib} MiB", mib = LARGEST_ANSWER >> 20)]
    TooLarge(String),
}

/// A response whose status a retry does not change.
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
    /// A host that never answered is probably wrong; one that did may recover.
    answered_before: Arc<AtomicBool>,
    progress: Progress,
}

impl RetryingClient {
    /// Asks the registry at `url`, at most `per_second` times a second, waits `longest_wait` at most, and follows so
    /// many redirects (`redirects`) of the registry to itself; never one to another host.
    ///
    /// # Errors
    /// The client cannot be made.
    pub(super) fn new(
        url: &Url,
        per_second: u32,
        longest_wait: Duration,
        redirects: usize,
        progress: Progress,
    ) -> Result<Self, RequestError> {
        Ok(Self {
            client: client(url, redirects).map_err(RequestError::Client)?,
            origin: url.origin().ascii_serialization(),
            longest_wait,
            rate_limiter: Arc::new(RateLimiter::new(Duration::from_secs(1) / per_second.max(1))),
            answered_before: Arc::default(),
            progress,
        })
    }

    /// # Errors
    /// There is no answer, or none within the allowed wait.
    pub(super) async fn send(
        &self,
        request: impl Fn(&reqwest::Client) -> reqwest::RequestBuilder,
    ) -> Result<Response, RequestError> {
        let mut attempt = 1;
        loop {
            self.rate_limiter.acquire().await;
            let backoff = Duration::from_secs(1 << (attempt - 1));
            let last = attempt == ATTEMPTS;
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
                Ok((answer, asked)) => self.wait(&answer, asked.unwrap_or(backoff)).await?,
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

    /// One attempt: the response and its `Retry-After`.
    async fn send_once(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<(Response, Option<Duration>), RequestError> {
        let unreachable = |error: reqwest::Error| RequestError::Unreachable {
            origin: self.origin.clone(),
            why: causes(&error),
        };
        let mut response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        let asked = retry_after(response.headers(), Timestamp::now());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            if body.len() + chunk.len() > LARGEST_ANSWER {
                return Err(RequestError::TooLarge(self.origin.clone()));
            }
            body.extend_from_slice(&chunk);
        }
        self.answered_before.store(true, Ordering::Relaxed);
        Ok((Response { status, body }, asked))
    }

    /// Rate limits and overload pause all requests, since each further one would prolong them.
    async fn wait(&self, answer: &Response, asked: Duration) -> Result<(), RequestError> {
        let message = error_message(&serde_json::from_slice(&answer.body).unwrap_or_default());
        if asked > self.longest_wait {
            return Err(RequestError::LongWait {
                origin: self.origin.clone(),
                asked,
                allowed: self.longest_wait,
                message,
            });
        }
        let notice = || {
            let (origin, status, seconds) = (&self.origin, answer.status.as_u16(), asked.as_secs());
            format!("{origin} answers {status}: waiting {seconds} s{message}")
        };
        let everybody =
            matches!(answer.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        if !everybody {
            self.progress.note(&notice());
            sleep(asked).await;
        } else if self.rate_limiter.pause_until(Instant::now() + asked) {
            self.progress.note(&notice());
        }
        Ok(())
    }
}

fn is_transient(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 500 | 502 | 503 | 504)
}

/// A limit on one host of the documents; documents of other hosts need not wait.
fn is_host_limit(answer: &Response) -> bool {
    let problem = || serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
    answer.status == StatusCode::TOO_MANY_REQUESTS && problem()["allowance"] == "host"
}

/// The innermost source of an error, which names the cause.
fn causes(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no whole answer within {} s", DEADLINE.as_secs());
    }
    let mut deepest = error.source();
    while let Some(beneath) = deepest.and_then(|error| error.source()) {
        deepest = Some(beneath);
    }
    deepest.map_or_else(|| error.to_string(), ToString::to_string)
}
