//! The report of a score: each request of the probe with its answer, and what the registry concluded. A report is stored
//! for thirty days, under an id that a page can link to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Check, Handshake, Kind, Moment, Reason, ScorePart, is_lower_hex, sha256_hex};

string_enum! {
    /// What a request of a probe does.
    #[derive(JsonSchema)]
    pub enum StepKind {
        /// Opens a connection to the host, and sends nothing.
        Connection = "connection",
        Card = "card",
        /// A GET of a place where a card may be, if the kind of the peer is not known.
        CardSearch = "card_search",
        Task = "task",
        Message = "message",
        Discover = "discover",
        Initialize = "initialize",
        Initialized = "initialized",
        Tools = "tools",
        /// Resources, resource templates or prompts.
        Contents = "contents",
        /// A GET that opens an event stream, as in the old transport of MCP.
        Stream = "stream",
        /// The metadata of a protected MCP server.
        ResourceMetadata = "resource_metadata",
        /// The metadata of an authorization server.
        AuthorizationServer = "authorization_server",
    }
}

impl StepKind {
    /// The step in words, for pages.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Connection => "Connection to the host",
            Self::Card => "Requested its agent card",
            Self::CardSearch => "Looked for an agent card",
            Self::Task => "Requested a task with a random id",
            Self::Message => "Sent a harmless text message",
            Self::Discover => "Requested its identity (server/discover)",
            Self::Initialize => "Requested a connection (initialize)",
            Self::Initialized => "Confirmed the connection (notifications/initialized)",
            Self::Tools => "Requested its tools (tools/list)",
            Self::Contents => "Requested its resources and prompts",
            Self::Stream => "Requested an event stream (GET)",
            Self::ResourceMetadata => "Requested the metadata of its sign-in",
            Self::AuthorizationServer => "Requested the metadata of its authorization server",
        }
    }
}

/// A sentence of the A2A or MCP specification that a step follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpecificationRule {
    pub sentence: String,
    pub url: String,
}

/// One request of a probe and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeStep {
    pub kind: StepKind,
    /// The request: method, URL, some headers and the body, shortened, without credentials and the values of a query.
    pub sent: String,
    /// The answer: status, some headers and the body, shortened; or why there was none.
    pub received: String,
    /// The HTTP status of the answer; null if there was none.
    pub status: Option<u16>,
    /// Milliseconds until the last byte that was read; null if there was no answer.
    pub took_ms: Option<u32>,
    /// What the specification requires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<SpecificationRule>,
    /// The codes of the `reasons` that were found at this step.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// The parts of the score that depend on this step.
    #[serde(default)]
    pub parts: Vec<String>,
}

/// The report of one score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreReport {
    /// The URL that was scored, without the values in its query.
    pub url: String,
    /// Agent or MCP server; null if neither was found.
    pub kind: Option<Kind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// From 0 to 100.
    pub score: u8,
    /// The parts of the score.
    pub breakdown: Vec<ScorePart>,
    pub handshake: Handshake,
    pub latency_ms: Option<u32>,
    /// What to fix.
    pub reasons: Vec<Reason>,
    pub checks: Vec<Check>,
    pub would_go_live: bool,
    pub would_be_gated: bool,
    /// Each request of the probe, in order.
    pub steps: Vec<ProbeStep>,
    pub scored_at: Moment,
}

/// Hexadecimal digits of the URL, the time and the content in an id.
const URL_DIGITS: usize = 16;
const TIME_DIGITS: usize = 11;
const CONTENT_DIGITS: usize = 24;

/// The id of a report: the beginning of the SHA-256 of its URL, its time in milliseconds, and the beginning of the SHA-256
/// of its text. Everybody who has the text can check the id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreReportId(String);

text_type!(ScoreReportId, InvalidScoreReportId, "not the id of a report", |text| {
    is_lower_hex(&text, URL_DIGITS + TIME_DIGITS + CONTENT_DIGITS).then_some(text)
});

impl ScoreReportId {
    /// `url` is the URL in the report, `text` the whole report as it is stored.
    #[must_use]
    pub fn of(url: &str, at: Moment, text: &str) -> Self {
        let content = &sha256_hex(text)[..CONTENT_DIGITS];
        Self(format!("{}{:011x}{content}", Self::of_url(url), at.as_millisecond().max(0)))
    }

    /// The part that all reports about a URL have in common.
    pub fn of_url(url: &str) -> String {
        sha256_hex(url)[..URL_DIGITS].to_owned()
    }

    /// The part of the URL, and the part that distinguishes the reports about it and sorts by time.
    pub fn parts(&self) -> (&str, &str) {
        self.0.split_at(URL_DIGITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_id_is_made_from_the_content_and_sorts_by_time() {
        let at = |text: &str| text.parse::<Moment>().unwrap();
        let (first, second) = (at("2026-11-26T01:00:00Z"), at("2026-11-26T01:00:01Z"));
        let id = ScoreReportId::of("https://a.example.org/", first, "{}");
        assert_eq!(id.as_str().len(), 51);
        assert_eq!(id.as_str().parse(), Ok(id.clone()));
        assert_ne!(id, ScoreReportId::of("https://a.example.org/", first, "{ }"));
        let later = ScoreReportId::of("https://a.example.org/", second, "{}");
        assert_eq!(id.parts().0, later.parts().0);
        assert!(id.parts().1 < later.parts().1);
        assert!(ScoreReportId::of("x", second, "").parts().1 > id.parts().1);
        for invalid in ["", "../x", &id.as_str()[1..], &id.as_str().to_uppercase()] {
            assert_eq!(invalid.parse::<ScoreReportId>(), Err(InvalidScoreReportId), "{invalid}");
        }
    }
}
