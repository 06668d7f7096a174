//! Requests to the registry. A busy registry is asked again as it says; other failures are reported.

use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;
use ureq::http::StatusCode;

use crate::problem::Failure;

const TIMEOUT: Duration = Duration::from_secs(60);

/// A request is repeated so many times after 429 or 503.
const MAX_RETRIES: u32 = 5;

/// The longest pause. If the registry asks for a longer one, its refusal is reported at once.
const MAX_PAUSE_S: u64 = 60;

#[derive(Debug)]
pub(crate) struct Client {
    base: String,
    agent: Agent,
}

impl Client {
    pub(crate) fn new(registry: &str) -> Self {
        let config = Agent::config_builder().timeout_global(Some(TIMEOUT)).http_status_as_error(false);
        let agent = config.user_agent(concat!("registry-cli/", env!("CARGO_PKG_VERSION"))).build().into();
        Self { base: registry.trim_end_matches('/').to_owned(), agent }
    }

    pub(crate) fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, Failure> {
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
        let url = format!("{}{path}?{query}", self.base);
        self.send(&url, || self.agent.get(&url).header("accept", "application/json").call())
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        let url = format!("{}{path}", self.base);
        self.send(&url, || self.agent.post(&url).header("accept", "application/json").send_json(body))
    }

    fn send(
        &self,
        url: &str,
        request: impl Fn() -> Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<Value, Failure> {
        let mut tries = 0;
        loop {
            let mut response = request()
                .map_err(|error| Failure::Unreachable(format!("{url} cannot be reached: {error}.")))?;
            let status = response.status();
            let is_busy = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
            let wait = pause(response.headers().get("retry-after").and_then(|value| value.to_str().ok()));
            if let Some(wait) = wait.filter(|_| is_busy && tries < MAX_RETRIES) {
                sleep(wait);
                tries += 1;
                continue;
            }
            return match response.body_mut().read_json::<Value>() {
                Ok(answer) if status.is_success() => Ok(answer),
                Ok(problem) if status.is_client_error() => Err(Failure::Refused(problem)),
                _ => Err(Failure::Unreachable(format!(
                    "{url} answered {status}, which is not the expected answer."
                ))),
            };
        }
    }
}

/// As the header `Retry-After` says, in seconds; otherwise two seconds. `None` if it is longer than `MAX_PAUSE_S`.
fn pause(retry_after: Option<&str>) -> Option<Duration> {
    let seconds: u64 = retry_after.and_then(|text| text.parse().ok()).unwrap_or(2);
    (seconds <= MAX_PAUSE_S).then_some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_is_as_the_registry_says_but_bounded() {
        let cases = [(Some("7"), Some(7)), (None, Some(2)), (Some("soon"), Some(2)), (Some("86400"), None)];
        for (header, seconds) in cases {
            assert_eq!(pause(header), seconds.map(Duration::from_secs), "{header:?}");
        }
    }
}
