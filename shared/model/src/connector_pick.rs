//! The connector of a UTC day (`today` in `specification.md#connector-daily-pick`): the partner, the reason
//! and the draft. All of it is stored, so that the answer does not change during the day.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kind, ListingId};

/// The pick of a day; a research day has no partner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectorPick {
    /// The UTC day, such as `2026-11-20`.
    pub day: String,
    /// The chosen listing; null on a research day.
    pub partner: Option<Partner>,
    /// How much it connects others, 0 to 100; on a research day, the value of the best candidate.
    pub connector_likeness: u8,
    /// The traits that make it a connector, each with its points.
    pub traits: Vec<String>,
    /// Why it was chosen, or why no listing was.
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
    /// Where to write to it.
    pub engage: String,
    /// Its status when it was picked: `live`.
    pub status: String,
}

/// What to do on a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstStep {
    /// The one step.
    pub step: String,
    /// What not to do.
    pub do_not: Vec<String>,
    /// The message to send; empty on a research day.
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
    /// Its connector likeness.
    pub score: u8,
}
