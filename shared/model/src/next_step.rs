//! The next call after an answer. The call is complete: a client can send it over HTTP or as a tool call,
//! without other documentation. All operations return it in the same form.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{ListingId, Moment};

/// Seconds between two polls of a listing whose probe is due: about as long as a probe takes.
pub const POLL_SECONDS: u32 = 2;

/// What to do next. You can send the call as an HTTP request (`method`, `url` and `body`) or as a tool call (`tool`
/// with `body`; if there is no body, `tool` with `arguments`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct NextStep {
    /// What the call does.
    pub action: &'static str,
    /// `GET` or `POST`.
    pub method: &'static str,
    /// The URL. For a GET, it includes the query.
    pub url: String,
    /// The JSON body of a POST, and the arguments of its tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub body: Option<Value>,
    /// The MCP tool or A2A operation that does the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<&'static str>,
    /// The arguments of the tool for a GET.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub arguments: Option<Value>,
    /// Seconds to wait before the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_s: Option<u32>,
    /// What the call does, in one sentence.
    pub note: String,
}

impl NextStep {
    /// A GET of an operation; the query of `url` and `arguments` contain the same values.
    pub fn get(tool: &'static str, url: String, arguments: Value, note: impl Into<String>) -> Self {
        Self { tool: Some(tool), arguments: Some(arguments), ..Self::open(tool, url, note) }
    }

    pub fn post(tool: &'static str, url: String, body: Value, note: impl Into<String>) -> Self {
        Self { method: "POST", tool: Some(tool), body: Some(body), ..Self::open(tool, url, note) }
    }

    /// A POST of an operation whose arguments only the caller knows; `note` says which.
    pub fn post_own(tool: &'static str, url: String, note: impl Into<String>) -> Self {
        Self { method: "POST", tool: Some(tool), ..Self::open(tool, url, note) }
    }

    /// A GET that is not an operation.
    pub fn open(action: &'static str, url: String, note: impl Into<String>) -> Self {
        Self { action, method: "GET", url, note: note.into(), ..Self::default() }
    }

    /// Returns what the listing waits for and what to fix.
    pub fn check_status(base_url: &str, id: &ListingId, note: impl Into<String>) -> Self {
        let url = format!("{base_url}/api/listings/status?id={id}");
        Self::get("check_status", url, json!({ "id": id }), note)
    }

    pub fn talk_inbox(base_url: &str, id: &ListingId, note: impl Into<String>) -> Self {
        let url = format!("{base_url}/api/talk?listing_id={id}");
        Self::get("talk_inbox", url, json!({ "listing_id": id }), note)
    }

    /// Starts the funnel: its first call is free.
    pub fn take_demo(base_url: &str, id: Option<&ListingId>, note: impl Into<String>) -> Self {
        let body = id.map(|id| json!({ "listing_id": id }));
        Self { body, ..Self::post_own("take_demo", format!("{base_url}/api/products/demo"), note) }
    }

    /// The same call with another name for its purpose.
    pub fn named(self, action: &'static str) -> Self {
        Self { action, ..self }
    }

    /// The same call as a poll: it waits until `due`, and at least [`POLL_SECONDS`].
    pub fn poll(self, due: Moment, now: Moment) -> Self {
        let millis = u64::try_from(due.duration_since(now).as_millis()).unwrap_or(0);
        let seconds = u32::try_from(millis.div_ceil(1000)).unwrap_or(u32::MAX);
        Self { wait_s: Some(seconds.max(POLL_SECONDS)), ..self }
    }
}
