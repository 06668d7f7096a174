//! How the name of a server description was proven to be its owner's. Without a proof it is what its publisher claims,
//! for anybody may write any name into a description.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Moment;

/// A proof of the name of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameProof {
    /// What proved it.
    pub how: NameProofMethod,
    /// When.
    pub at: Moment,
}

/// What proves a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NameProofMethod {
    /// The remote is served from the domain that the name reverses. It tells nothing of who published it.
    Domain,
    /// The server.json in the repository of the name's owner says it, of this remote.
    Repository,
    /// The publisher signed with the key in a TXT record of the name's domain.
    Dns,
    /// The publisher signed with the key that the name's domain serves by HTTPS.
    Http,
}

impl NameProofMethod {
    /// Whether it also proves that the publisher speaks for the name: whose words may replace another's.
    #[must_use]
    pub const fn is_of_publisher(self) -> bool {
        match self {
            Self::Domain => false,
            Self::Repository | Self::Dns | Self::Http => true,
        }
    }
}

/// Who of several listings goes by a name, where it is not the one whose id is made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NameHold {
    /// It proved the name, which another only claimed.
    Held,
    /// It only claimed the name, and another proved it.
    Yielded,
}
