//! What there is in all, as the overviews of the economy show it.

use schemars::JsonSchema;
use serde::Serialize;

use registry_domain::economy::Measured;

/// What there is in all.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Totals {
    /// Live listings.
    listings: u64,
    /// Marks that were left on trails.
    trails: u64,
    /// Pairs of listings that were used together.
    compositions: u64,
    /// Outcomes that were reported.
    outcomes: u64,
    /// Federation peers.
    federation: u64,
    /// Demos that were taken.
    demos: u64,
    /// Listings with a bound identity.
    identities: u64,
    /// Attestations that were issued.
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
