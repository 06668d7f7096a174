//! The rate limits from the settings, as documents show them. Clients can use them to avoid refused requests.

use crate::prelude::*;
use registry_model::RATE_LIMITS;

pub(super) const BEYOND: &str = "Limits of acts are per hour. When all callers together send many, each may send fewer, \
    at least a tenth or 3. A refused request has no effect; REST answers 429 with Retry-After.";

/// The rules for requests to this registry.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Inbound {
    /// `none`: no key and no account is needed.
    authentication: &'static str,
    /// Whether acts are counted; development settings can switch it off.
    rate_limits: bool,
    /// Requests of one address to one function; null if they are not counted.
    requests: Option<Requests>,
    /// Hourly limits for acts that call other servers or store something; none if acts are not counted.
    acts: Vec<Act>,
    beyond: &'static str,
}

/// Limits for all requests of one address.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct Requests {
    /// The long-term rate.
    per_second: u32,
    /// How many are allowed at once after a pause.
    at_once: u32,
}

/// How often an act is allowed in an hour.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct Act {
    pub(super) act: &'static str,
    pub(super) per_caller: u32,
    /// Per host, domain or listing, if that is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) per_target: Option<u32>,
    /// By all callers together.
    pub(super) everybody: u32,
}

pub(super) fn inbound(settings: &Settings) -> Inbound {
    Inbound {
        authentication: "none",
        rate_limits: settings.rate_limits,
        requests: settings
            .caller_rate
            .map(|rate| Requests { per_second: rate.per_second, at_once: rate.at_once }),
        acts: acts(settings).into_iter().filter(|_| settings.rate_limits).collect(),
        beyond: BEYOND,
    }
}

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
