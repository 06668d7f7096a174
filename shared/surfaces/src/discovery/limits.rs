//! How much a caller may ask, as documents tell it: the rates of the settings, so that a client can keep within them
//! before it is refused.

use schemars::JsonSchema;
use serde::Serialize;

use registry_model::settings::{Rate, Settings};

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

/// Acts that are counted.
pub(super) fn acts(settings: &Settings) -> [Act; 14] {
    let alone =
        |act, Rate { caller, everybody, .. }| Act { act, per_caller: caller, per_target: None, everybody };
    let at_target = |act, rate: Rate| Act { per_target: Some(rate.host), ..alone(act, rate) };
    [
        at_target("publish", settings.publish_rate),
        at_target("score", settings.score_rate),
        at_target("trace, endorse or used with", settings.trace_rate),
        at_target("leave a message by Talk", settings.talk_rate),
        alone("take a demo for the first time", settings.demo_rate),
        alone("give feedback", settings.feedback_rate),
        alone("begin a purchase", settings.checkout_rate),
        alone("report an outcome", settings.outcome_rate),
        alone("open an interop session", settings.session_rate),
        alone("append to an interop session", settings.session_step_rate),
        alone("send an A2A message that leaves a task", settings.task_rate),
        alone("have a statement signed", settings.attestation_rate),
        alone("opt out of invitations, or in again", settings.opt_out_rate),
        at_target("prove to be the owner", settings.owner_rate),
    ]
}
