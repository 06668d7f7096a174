//! Totals in the overviews of the economy family.

use schemars::JsonSchema;
use serde::Serialize;

use registry_domain::economy::Measured;

/// Totals.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Totals {
    /// Live listings.
    listings: u64,
    /// Marks left at listings.
    trails: u64,
    /// Pairs of listings used together.
    compositions: u64,
    /// Reported outcomes.
    outcomes: u64,
    /// Federation peers.
    federation: u64,
    /// Demos taken.
    demos: u64,
    /// Listings with a bound key.
    identities: u64,
    /// Signed statements.
    attestations: u64,
}

impl Totals {
    pub(super) fn of(measured: &Measured) -> Self {
        let counts = &measured.counts;
        Self {
            listings: counts.listings,
            trails: counts.trails,
            compositions: counts.compositions,
            outcomes: counts.outcomes,
            federation: counts.federation,
            demos: counts.demos,
            identities: counts.identities,
            attestations: counts.attestations,
        }
    }
}
