//! How much a caller may ask, as documents tell it: the rates of the settings, so that a client can keep within them
//! before it is refused.

use schemars::JsonSchema;
use serde::Serialize;

use registry_model::RATE_LIMITS;
use registry_model::settings::Settings;

/// The rules for requests to this registry.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Inbound {
    /// No key and no account is needed.
    authentication: &'static str,
    /// Whether acts are counted; a registry for development may leave that.
    rate_limits: bool,
    /// Any requests of one address to one function; null where they are not counted.
    requests: Option<Requests>,
    /// Acts that call others or leave something, in an hour.
    acts: Vec<Act>,
    /// What happens beyond them.
    beyond: &'static str,
}

/// Any requests of one address.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct Requests {
    /// In the long run.
    per_second: u32,
    /// After a pause.
    at_once: u32,
}

/// How often something may be done in an hour.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct Act {
    /// What is done.
    pub(super) act: &'static str,
    /// By one caller.
    pub(super) per_caller: u32,
    /// At one host or listing, where that is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) per_target: Option<u32>,
    /// By everybody together.
    pub(super) everybody: u32,
}

/// The rates of the settings.
pub(super) fn inbound(settings: &Settings) -> Inbound {
    Inbound {
        authentication: "none",
        rate_limits: settings.rate_limits,
        requests: settings
            .caller_rate
            .map(|rate| Requests { per_second: rate.per_second, at_once: rate.at_once }),
        acts: acts(settings).to_vec(),
        beyond: "429 with Retry-After, and `retry_after_s` in the problem document; nothing was done.",
    }
}

/// The hourly rate limits.
pub(super) fn acts(settings: &Settings) -> [Act; RATE_LIMITS.len()] {
    RATE_LIMITS.map(|limit| {
        let rate = settings.rate(limit.action);
        Act {
            act: limit.meaning,
            per_caller: rate.caller,
            per_target: limit.target.map(|_| rate.target),
            everybody: rate.everybody,
        }
    })
}
