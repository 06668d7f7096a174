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

/// The longest pause that a registry can ask for.
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
            if is_busy && tries < MAX_RETRIES {
                sleep(pause(response.headers().get("retry-after").and_then(|value| value.to_str().ok())));
                tries += 1;
                continue;
            }
            let answer = response.body_mut().read_json::<Value>();
            return match answer {
                Ok(answer) if status.is_success() => Ok(answer),
                Ok(problem) if status.is_client_error() => Err(Failure::Refused(problem)),
                _ => Err(Failure::Unreachable(format!(
                    "{url} answered {status}, which is not the expected answer."
                ))),
            };
        }
    }
}

/// As the header `Retry-After` says, in seconds; otherwise two seconds.
fn pause(retry_after: Option<&str>) -> Duration {
    let seconds = retry_after.and_then(|text| text.parse().ok()).unwrap_or(2);
    Duration::from_secs(seconds.min(MAX_PAUSE_S))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_is_as_the_registry_says_but_bounded() {
        for (header, seconds) in [(Some("7"), 7), (None, 2), (Some("soon"), 2), (Some("86400"), MAX_PAUSE_S)]
        {
            assert_eq!(pause(header).as_secs(), seconds, "{header:?}");
        }
    }
}
