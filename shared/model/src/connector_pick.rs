//! The connector of a UTC day: a listing that connects other listings, and that the registry contacts on this
//! day (`today` in `specification.md#connector-daily-pick`). The pick is stored with its reason and the draft
//! of the message, so that it does not change during the day.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kind, ListingId};

/// The connector chosen for a day. On a research day, no listing is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectorPick {
    /// The UTC day, such as `2026-11-20`.
    pub day: String,
    /// The chosen listing. Null on a research day.
    pub partner: Option<Partner>,
    /// How well the listing connects others, from 0 to 100. On a research day, the value of the best candidate.
    pub connector_likeness: u8,
    /// The traits that make the listing a connector, with the points for each trait.
    pub traits: Vec<String>,
    /// Why this listing was chosen, or why no listing was chosen.
    pub why: String,
    /// What to do today.
    pub action: FirstStep,
    /// The next candidates, the best first.
    pub queue_after: Vec<QueuedPartner>,
}

/// A listing that connects others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Partner {
    pub id: ListingId,
    pub name: String,
    pub kind: Kind,
    /// Its strongest trait: `router`, `directory`, `orchestrator`, `marketplace`, ...
    pub role: String,
    /// Where to write to the listing.
    pub engage: String,
    /// `chosen`. The listing was Live then.
    pub status: String,
}

/// What to do on a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstStep {
    /// The step to do.
    pub step: String,
    /// What not to do.
    pub do_not: Vec<String>,
    /// The message to send. Empty on a research day.
    pub draft: Draft,
}

/// A message draft.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Draft {
    pub subject: String,
    pub body: String,
    /// The link to its demo.
    pub demo_link: String,
}

/// A candidate for another day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueuedPartner {
    pub id: ListingId,
    pub name: String,
    /// Its `connector_likeness`.
    pub score: u8,
}
