//! A session: the steps of an agent that uses several listings, possibly over several protocols. It is stored
//! under a secret id. Anyone who knows the id may read the session and add steps to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListingId, Moment, Random, is_lower_hex, sha256_hex};

pub const MAX_SESSION_STEPS: u32 = 100;

/// `ses_` and 32 hexadecimal digits: 128 random bits.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionId(String);

secret_type!(
    SessionId,
    InvalidSessionId,
    "not a session id; a session id is ses_ and 32 hexadecimal digits, as in the response that opened the \
     session",
    |text: &str| text.strip_prefix("ses_").filter(|digits| is_lower_hex(digits, 32)).map(|_| text.to_owned())
);

impl SessionId {
    pub const LENGTH: usize = 36;

    pub fn new(random: &Random) -> Self {
        Self(format!("ses_{}", random.hex(16)))
    }

    /// SHA-256 in hexadecimal, as it is stored.
    pub fn digest(&self) -> String {
        sha256_hex(&self.0)
    }
}

string_enum! {
    /// A protocol in which a listing can be reached.
    #[derive(JsonSchema)]
    pub enum EntryProtocol {
        /// Model Context Protocol.
        Mcp = "mcp",
        /// The A2A protocol over JSON-RPC.
        A2a = "a2a",
        /// Agentic Resource Discovery, with the catalog entry of the listing.
        Ard = "ard",
        /// Plain HTTP: the REST binding of A2A, or this registry's REST API.
        Http = "http",
        /// Found by a DNS record.
        Dns = "dns",
    }
}

/// The attributes of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionFacts {
    /// The protocol that the agent used to open the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_protocol: Option<EntryProtocol>,
    /// The listing that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing_id: Option<ListingId>,
    /// The name of the agent that opened the session. It is not verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// What the agent searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_q: Option<String>,
    /// The order of the demo that the agent took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demo_order_id: Option<String>,
    /// The feedback that the agent gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_id: Option<String>,
}

/// One step of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionStep {
    /// When it happened.
    pub at: Moment,
    /// What was done, in one or two words.
    pub action: String,
    /// The protocol that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<EntryProtocol>,
    /// The listing that the step is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing_id: Option<ListingId>,
    /// Details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub created_at: Moment,
    pub expires_at: Moment,
    pub facts: SessionFacts,
    pub steps: Vec<SessionStep>,
    /// A closed session accepts no further steps.
    pub closed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_ids_can_be_parsed_and_are_never_printed() {
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
