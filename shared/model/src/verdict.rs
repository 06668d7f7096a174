//! The result of one probe: the outcome of the handshake, the reasons if it is not `ok`, and what the peer
//! says about itself.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CheckedPackage, Kind, ObservedServer, PackageState, SignIn};

string_enum! {
    /// The four outcomes of a probe.
    #[derive(Default, JsonSchema)]
    pub enum Handshake {
        /// The handshake completed.
        Ok = "ok",
        /// The peer speaks the protocol with a broken part, or asks for authentication or payment first.
        Partial = "partial",
        /// The protocol was not found.
        #[default]
        Fail = "fail",
        /// The peer cannot be probed: it runs over stdio, needs a secret, or has a templated URL or no public address.
        Skip = "skip",
    }
}

/// Why a probe was not `ok`, and how the owner can fix it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// Stable `snake_case` code.
    pub code: String,
    /// The reason in a fixed form, for example "card fail 404 (no card)", "preflight timeout (2500 ms)" or "remote fail
    /// 503".
    pub reason: String,
    /// What the probe received, shortened.
    pub seen: String,
    /// What to do.
    pub fix: String,
}

/// A skill of an agent, from its card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skill {
    /// The skill's id in the card.
    pub id: String,
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// A tool of an MCP server, from `tools/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The first 16 parameters of its input schema, required ones first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<ToolParameter>,
    /// Whether it only reads, if the server declares this (`readOnlyHint`). The registry does not verify it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Whether it may delete or overwrite something, if the server declares this (`destructiveHint`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
}

/// A parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolParameter {
    pub name: String,
    #[serde(rename = "type")]
    pub value: ParameterType,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

string_enum! {
    /// The JSON type of a parameter.
    #[derive(JsonSchema)]
    pub enum ParameterType {
        String = "string",
        Integer = "integer",
        Number = "number",
        Boolean = "boolean",
        Array = "array",
        Object = "object",
        /// The schema allows several types, or names none.
        Any = "any",
    }
}

/// A peer's description of itself, from its card or handshake, cut to bounded lengths and never trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Determined by the probe where the publisher did not give it.
    pub kind: Option<Kind>,
    pub name: Option<String>,
    pub description: Option<String>,
    pub version: Option<String>,
    /// The URL that answered the handshake (the card's interface, the MCP endpoint).
    pub endpoint: Option<String>,
    /// The MCP server on its host that answered instead: nothing is at the published path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<String>,
    pub card_url: Option<String>,
    pub website: Option<String>,
    /// Protocol versions that it names, such as `1.0`, `0.3`, `2026-07-28`.
    pub protocol_versions: Vec<String>,
    pub skills: Vec<Skill>,
    pub tools: Vec<Tool>,
    /// The hash of the tool set, with the name of its format; shows a change of tools.
    pub tools_hash: Option<String>,
    /// The whole tools, and what else the server offers. Stored in items of their own.
    #[serde(skip)]
    pub seen: Option<Arc<ObservedServer>>,
    /// The packages of a server that runs on the machine of its user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<CheckedPackage>,
    /// How its callers sign in. Present only if every part of the sign-in was found correct.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<SignIn>,
    /// Faults of its texts, found before they were cut.
    #[serde(default, skip_serializing_if = "TextFaults::is_none")]
    pub text_faults: TextFaults,
}

impl Facts {
    /// Whether there are packages, and each of them names the server: one genuine package does not vouch for the others.
    pub fn has_only_named_packages(&self) -> bool {
        let is_named = |package: &CheckedPackage| package.state == PackageState::Named;
        !self.packages.is_empty() && self.packages.iter().all(is_named)
    }

    /// Whether the registry cannot check a package, and the others name the server.
    pub fn has_unchecked_packages(&self) -> bool {
        let has_no_fault =
            |package: &CheckedPackage| matches!(package.state, PackageState::Named | PackageState::Unchecked);
        let is_unchecked = |package: &CheckedPackage| package.state == PackageState::Unchecked;
        self.packages.iter().all(has_no_fault) && self.packages.iter().any(is_unchecked)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub handshake: Handshake,
    /// Why it was not `ok`; an `ok` may have warnings here, which never block.
    pub reasons: Vec<Reason>,
    /// The reason among them that is about the agent's card. Needed only for the checks.
    #[serde(skip)]
    pub card_fault: Option<Reason>,
    /// The outcome depends on the moment more than on the peer (timeout, 5xx, 429): probe again early.
    pub inconclusive: bool,
    /// How long the peer asked us to wait (Retry-After).
    pub retry_after: Option<Duration>,
    /// The peer sent a well-formed message of the protocol, even if an error.
    pub speaks: bool,
    /// Whether it answered a message; `None` where none was sent or the outcome is unclear.
    pub answers: Option<bool>,
    /// Milliseconds from the first request of the handshake to its last answer; `None` without one.
    pub latency_ms: Option<u32>,
    /// Short machine-readable findings, such as `card_ok`, `task_not_found_answered`, `sse_answer`.
    pub signals: Vec<String>,
    /// Protocols that were found, such as `a2a/1.0`, `mcp/2026-07-28`, `jsonrpc`, `sse`.
    pub protocol_hints: Vec<String>,
    pub facts: Facts,
}

/// The first fault of each sort in the texts of a peer, with its place. Found while its documents are read in full,
/// because the stored texts are cut: a fault behind the cut would be seen by the peer's clients alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextFaults {
    /// Not plain text: hidden characters, active markup, a name that is too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_plain: Option<String>,
    /// An instruction to the model that reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injection: Option<String>,
}

impl TextFaults {
    pub const fn is_none(&self) -> bool {
        self.not_plain.is_none() && self.injection.is_none()
    }

    /// Whether another text can add nothing.
    pub const fn is_full(&self) -> bool {
        self.not_plain.is_some() && self.injection.is_some()
    }

    /// Adds the faults of texts that were read later.
    pub fn or(&mut self, later: Self) {
        self.not_plain = self.not_plain.take().or(later.not_plain);
        self.injection = self.injection.take().or(later.injection);
    }
}
