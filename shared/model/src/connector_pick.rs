//! The connector of a UTC day (contract "Connector daily pick", `today`): who is written to, why, and the draft. Kept
//! whole in the table, so that a day has one answer whatever changes meanwhile.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kind, ListingId};

/// The pick of a day; a research day has no partner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectorPick {
    /// The UTC day, such as `2026-11-20`.
    pub day: String,
    /// Who it is; null on a research day.
    pub partner: Option<Partner>,
    /// How much it connects others, 0 to 100; on a research day that of the best that was looked at.
    pub connector_likeness: u8,
    /// What makes it a connector, each with its points.
    pub traits: Vec<String>,
    /// Why it, or why nobody.
    pub why: String,
    /// What is done today.
    pub action: FirstStep,
    /// Who would come next, the best first.
    pub queue_after: Vec<QueuedPartner>,
}

/// A listing that connects others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct Partner {
    pub id: ListingId,
    pub name: String,
    pub kind: Kind,
    /// What it is to others, by its strongest trait: `router`, `directory`, `orchestrator`, `marketplace`, ...
    pub role: String,
    /// Where it can be written to.
    pub engage: String,
    /// `live`: it was when it was picked.
    pub status: String,
}

/// What is done on a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstStep {
    /// The one step.
    pub step: String,
    /// What is left alone.
    pub do_not: Vec<String>,
    /// The message; empty on a research day.
    pub draft: Draft,
}

/// A message before it is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct Draft {
    pub subject: String,
    pub body: String,
    /// Where its demo waits.
    pub demo_link: String,
}

/// A listing that may be picked on another day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct QueuedPartner {
    pub id: ListingId,
    pub name: String,
    /// Its connector likeness.
    pub score: u8,
}
