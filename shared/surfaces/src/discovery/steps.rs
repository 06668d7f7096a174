//! The way of an agent through this registry, a step at a time: find it, list itself, go Live, take the demo and the
//! founding offer, work with others. Each step is an operation's own call.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::call::Call;
use super::contents::MAP;
use registry_model::settings::Settings;
use registry_operations::{
    CHECK_STATUS, Description, GET_ACCESS, JOIN_AND_CONTRIBUTE, LEAVE_FEEDBACK, LEAVE_TRACE, LIST_YOURSELF,
    MATCH_CAPABILITY, TAKE_DEMO, TALK_INBOX,
};

/// The steps after the first, in their order.
const STEPS: [(&str, &Description); 9] = [
    ("list", LIST_YOURSELF.described),
    ("status", CHECK_STATUS.described),
    ("talk_inbox_daily", TALK_INBOX.described),
    ("demo", TAKE_DEMO.described),
    ("feedback", LEAVE_FEEDBACK.described),
    ("use", GET_ACCESS.described),
    ("leave_trace", LEAVE_TRACE.described),
    ("match_capability", MATCH_CAPABILITY.described),
    ("join_and_contribute", JOIN_AND_CONTRIBUTE.described),
];

/// One step.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Step {
    /// Its name, which `curl_` names of this document hold too.
    pub(super) id: &'static str,
    /// For people.
    pub(super) name: &'static str,
    /// `GET` or `POST`.
    pub(super) method: &'static str,
    /// Where; put your own values in the place of names in braces.
    pub(super) url: String,
    pub(super) headers: Map<String, Value>,
    /// What a POST sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) body: Option<Value>,
    /// The tool that does the same by MCP, and the operation by A2A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<&'static str>,
    /// Its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) arguments: Option<Value>,
    /// The same in plain words, as a message by A2A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) words: Option<String>,
    /// What it does, and what follows.
    pub(super) note: &'static str,
    /// The same as a line for a shell.
    pub(super) curl: String,
}

/// All steps.
pub(super) fn steps(settings: &Settings) -> Vec<Step> {
    let rest = STEPS.into_iter().map(|(id, operation)| {
        let call = Call::of(operation, settings);
        Step {
            id,
            name: operation.title,
            headers: call.headers(),
            curl: call.curl(),
            method: call.method,
            url: call.url,
            body: call.body,
            tool: Some(call.tool),
            arguments: Some(call.arguments),
            words: Some(call.words),
            note: operation.description,
        }
    });
    std::iter::once(discover(settings)).chain(rest).collect()
}

fn discover(settings: &Settings) -> Step {
    let url = settings.url(&MAP.path());
    Step {
        id: "discover",
        name: "Discover this registry",
        method: "GET",
        headers: [("accept".to_owned(), Value::from("application/json"))].into_iter().collect(),
        curl: format!("curl -fsS '{url}'"),
        url,
        body: None,
        tool: None,
        arguments: None,
        words: None,
        note: MAP.summary,
    }
}
