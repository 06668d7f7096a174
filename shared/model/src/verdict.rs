//! What one probe found: the handshake, why it went so, and what the peer says of itself.
//! Plain data, made by the handshakes and stored as evidence.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Kind, TextFaults};

/// The contract's four outcomes of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Handshake {
    /// The protocol was spoken to the end.
    Ok,
    /// The protocol is there, but something stands in the way: authentication, payment, a broken part.
    Partial,
    /// Nothing of the protocol was found.
    Fail,
    /// It cannot be asked: stdio only, a templated URL, a secret is needed.
    Skip,
}

impl Handshake {
    /// The word used in keys and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Partial => "partial",
            Self::Fail => "fail",
            Self::Skip => "skip",
        }
    }
}

/// Why a probe was not `ok`, in words its owner can act on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// Stable `snake_case` code.
    pub code: String,
    /// The contract's vocabulary: "card fail 404 (no card)", "preflight timeout (2500 ms)", "remote fail 503"...
    pub reason: String,
    /// What was seen, cut short.
    pub seen: String,
    /// What to do about it.
    pub fix: String,
}

/// A skill of an agent, as its card tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct Skill {
    /// The card's own id of the skill.
    pub id: String,
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// A tool of an MCP server, as `tools/list` told it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct Tool {
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// What a peer says of itself: taken from its card or handshake, cut to sane lengths, never trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct Facts {
    /// Agent or MCP server; settled by the probe where the publisher did not say.
    pub kind: Option<Kind>,
    pub name: Option<String>,
    pub description: Option<String>,
    /// The peer's own version.
    pub version: Option<String>,
    /// The URL that answered the handshake (the card's interface, the MCP endpoint).
    pub endpoint: Option<String>,
    /// The URL of the card, where there is one.
    pub card_url: Option<String>,
    /// A page about it.
    pub website: Option<String>,
    /// Protocol versions that it speaks, such as `1.0`, `0.3`, `2026-07-28`.
    pub protocol_versions: Vec<String>,
    /// Skills of an agent.
    pub skills: Vec<Skill>,
    /// Tools of an MCP server.
    pub tools: Vec<Tool>,
    /// SHA-256 (hex) over the canonical tool list, so that a change of tools is seen.
    pub tools_hash: Option<String>,
    /// What is wrong with its texts, each looked at in full before it was cut.
    #[serde(default, skip_serializing_if = "TextFaults::is_none")]
    pub text_faults: TextFaults,
}

/// The whole outcome of one probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The outcome in the contract's four words.
    pub handshake: Handshake,
    /// Why it was not `ok`; for an `ok` there may still be warnings here (never blocking).
    pub reasons: Vec<Reason>,
    /// True where the outcome says more of the moment than of the peer (timeout, 5xx, 429): try again early.
    pub inconclusive: bool,
    /// How long the peer asked us to wait (Retry-After), if it did.
    pub retry_after: Option<Duration>,
    /// The protocol was spoken: any well-formed answer of it, even a refusal.
    pub speaks: bool,
    /// A message was answered; `None` where none was sent.
    pub answers: Option<bool>,
    /// Milliseconds from the first request of the handshake to its last answer; `None` where nothing was asked.
    pub latency_ms: Option<u32>,
    /// Short machine-readable findings, such as `card_ok`, `task_not_found_answered`, `sse_answer`.
    pub signals: Vec<String>,
    /// Protocols seen, such as `a2a/1.0`, `mcp/2026-07-28`, `jsonrpc`, `sse`.
    pub protocol_hints: Vec<String>,
    /// What the peer says of itself.
    pub facts: Facts,
}
