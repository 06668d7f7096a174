//! Whether the name in a server description is proven, as rows, the status and the registry API say it. What is listed
//! by its URL alone has no such name.

use schemars::JsonSchema;
use serde::Serialize;

use registry_model::{Listing, Moment, NameProofMethod};

/// The name of a server description, and whether it is proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NameStanding {
    /// The name in the server description.
    pub name: String,
    /// Whether the name is proven.
    pub standing: Standing,
    /// How it was proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<NameProofMethod>,
    /// When it was proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
}

/// Whether a name is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// The publisher claims the name without a proof.
    Claimed,
    /// The publisher has proven that it owns the name.
    Proven,
}

impl NameStanding {
    /// `None` for a listing without a server description.
    #[must_use]
    pub fn of(listing: &Listing) -> Option<Self> {
        let proof = listing.name_proof;
        Some(Self {
            name: listing.server_name.clone()?,
            standing: if proof.is_some() { Standing::Proven } else { Standing::Claimed },
            how: proof.map(|proof| proof.how),
            at: proof.map(|proof| proof.at),
        })
    }
}
