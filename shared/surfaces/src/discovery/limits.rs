//! The rate limits of the settings as documents show them, so that clients can keep within them.

use schemars::JsonSchema;
use serde::Serialize;

use registry_model::settings::{Rate, Settings};

/// The rules for requests to this registry.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Inbound {
    /// `none`: no key and no account is needed.
    authentication: &'static str,
    /// Whether acts are counted; development settings can switch it off.
    rate_limits: bool,
    /// Requests of one address to one function; null if they are not counted.
    requests: Option<Requests>,
    /// Hourly limits for acts that call other servers or store something.
    acts: Vec<Act>,
    /// What happens beyond a limit.
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
    /// The act.
    pub(super) act: &'static str,
    /// Per caller.
    pub(super) per_caller: u32,
    /// Per host or listing, if that is counted.
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
        acts: acts(settings).to_vec(),
        beyond: "429 with Retry-After, and `retry_after_s` in the problem document. Nothing was done.",
    }
}

pub(super) fn acts(settings: &Settings) -> [Act; 14] {
    let alone =
        |act, Rate { caller, everybody, .. }| Act { act, per_caller: caller, per_target: None, everybody };
    let at_target = |act, rate: Rate| Act { per_target: Some(rate.host), ..alone(act, rate) };
    [
        at_target("publish", settings.publish_rate),
        at_target("score", settings.score_rate),
        at_target("leave a trace, endorse or report a pair used together", settings.trace_rate),
        at_target("leave a message by Talk", settings.talk_rate),
        alone("take a demo for the first time", settings.demo_rate),
        alone("give feedback", settings.feedback_rate),
        alone("begin a purchase", settings.checkout_rate),
        alone("report an outcome", settings.outcome_rate),
        alone("open an interop session", settings.session_rate),
        alone("append to an interop session", settings.session_step_rate),
        alone("send an A2A message that leaves a task", settings.task_rate),
        alone("have a statement signed", settings.attestation_rate),
        alone("opt out of invitations, or opt in again", settings.opt_out_rate),
        at_target("prove ownership", settings.owner_rate),
    ]
}
