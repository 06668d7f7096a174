//! A session across protocols: what an agent did on its way from one listing to the next, kept under an id that only those
//! who were told it know. Whoever knows the id may read and append.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{ListingId, Moment, Random};

/// The most steps of a session.
pub const MOST_STEPS: u32 = 100;

/// `ses_` and 32 hexadecimal digits: 128 random bits.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionId(String);

/// A text that is no session id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a session id: it looks like ses_ and 32 hexadecimal digits, as the session's opening answered it"
)]
pub struct InvalidSessionId;

const PREFIX: &str = "ses_";
const BYTES: usize = 16;

impl SessionId {
    /// How long every one is.
    pub const LENGTH: usize = PREFIX.len() + 2 * BYTES;

    /// A new one.
    #[must_use]
    pub fn new(random: &Random) -> Self {
        Self(format!("{PREFIX}{}", random.hex(BYTES)))
    }

    /// The id itself, for the answers to those who know it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What the table holds of it, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> String {
        Sha256::digest(&self.0).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionId(…)")
    }
}

impl FromStr for SessionId {
    type Err = InvalidSessionId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix(PREFIX).ok_or(InvalidSessionId)?;
        let is_hex = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_hex && digits.len() == 2 * BYTES { Ok(Self(text.to_owned())) } else { Err(InvalidSessionId) }
    }
}

/// A protocol by which a listing may be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryProtocol {
    /// Model Context Protocol.
    Mcp,
    /// The A2A protocol over JSON-RPC.
    A2a,
    /// Agentic Resource Discovery: by its catalogue entry.
    Ard,
    /// Plain HTTP: the REST binding of A2A, or this registry's REST API.
    Http,
    /// Found by a DNS record.
    Dns,
}

impl EntryProtocol {
    /// The word used in arguments and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::A2a => "a2a",
            Self::Ard => "ard",
            Self::Http => "http",
            Self::Dns => "dns",
        }
    }
}

/// What is known of a session beside its steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionFacts {
    /// The protocol by which its agent came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_protocol: Option<EntryProtocol>,
    /// The listing that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing_id: Option<ListingId>,
    /// Who opened it, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// What was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_q: Option<String>,
    /// The order of the demo that was taken on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demo_order_id: Option<String>,
    /// The feedback that was given on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_id: Option<String>,
}

/// One step of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionStep {
    /// When.
    pub at: Moment,
    /// What was done, in a word or two.
    pub action: String,
    /// By which protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<EntryProtocol>,
    /// At which listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing_id: Option<ListingId>,
    /// More of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A session with its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// When it was opened.
    pub created_at: Moment,
    /// When it is forgotten.
    pub expires_at: Moment,
    /// What is known beside the steps.
    pub facts: SessionFacts,
    /// What was done, by time.
    pub steps: Vec<SessionStep>,
    /// Nothing more is appended.
    pub closed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_was_made_and_never_printed() {
        let id = SessionId::new(&Random::seeded(7));
        assert_eq!(id.reveal().len(), 36);
        assert_eq!(id.reveal().parse::<SessionId>().as_ref(), Ok(&id));
        assert_eq!(format!("{id:?}"), "SessionId(…)");
        assert!(!id.digest().contains(&id.reveal()[4..]));
        for wrong in
            ["", "ses_", "ses_0123456789ABCDEF0123456789abcdef", "int_0123456789abcdef0123456789abcdef"]
        {
            assert_eq!(wrong.parse::<SessionId>(), Err(InvalidSessionId), "{wrong}");
        }
    }
}
