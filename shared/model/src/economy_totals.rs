//! The counts of the registry that grow. The economy compares them with those of earlier hours.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Totals. Samples of earlier versions lack the newer counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EconomyTotals {
    /// Live listings.
    pub listings: u64,
    /// Marks left at listings.
    pub trails: u64,
    /// Pairs of listings used together.
    pub compositions: u64,
    /// Reported outcomes.
    pub outcomes: u64,
    /// Other registries that this registry reads.
    pub federation: u64,
    /// Demos generated.
    pub demos: u64,
    /// Listings with a key bound to their domain.
    pub identities: u64,
    /// Signed statements.
    pub attestations: u64,
}
