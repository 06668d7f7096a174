//! The summaries of the table that the read cache contains: the counts of Live listings, and the manifest of
//! the search index. Their types are not in the modules that read them, because these modules use the cache
//! and the cache uses the types.

use std::collections::BTreeMap;

use registry_model::{HashPrefix, Kind, ListingId, Moment, Sku, id_hash};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    pub agents: u32,
    pub mcps: u32,
    /// When listings with an expired proof were last subtracted; `None` before the first time.
    pub as_of: Option<Moment>,
    /// The agents and MCP servers that were Live at that time.
    pub counted: Option<(u32, u32)>,
    /// Listings that were never Live, failed for thirty days and were deleted, since the table exists.
    pub expired: u32,
    pub funnel: FunnelCounts,
    /// Listings whose domain bound a key, since the table exists.
    pub identities: u32,
    /// Grows with every change to anything that the active list shows.
    pub version: u64,
}

/// The counters of the funnel since the table exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunnelCounts {
    pub seats_claimed: u32,
    pub demos_agents: u32,
    pub demos_mcps: u32,
    /// Demos of both kinds that followed an invitation and are not confirmed.
    pub demos_unconfirmed: u32,
    pub feedback_agents: u32,
    pub feedback_mcps: u32,
    /// Feedback of agents that is a draft. Earlier versions did not count these.
    pub drafts_agents: u32,
    pub drafts_mcps: u32,
    /// Ratings by product and by stars, without those of drafts that were sent unchanged.
    pub ratings: Ratings,
}

/// How often each product was rated 1 to 5; the products in the order of [`Sku::ALL`].
pub type Ratings = [[u32; 5]; Sku::ALL.len()];

impl Live {
    pub const fn of(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Agent => self.agents,
            Kind::Mcp => self.mcps,
        }
    }
}

/// The buckets of the search index. Readers load only buckets whose version they do not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Grows with every change; 0 before the first.
    pub version: u64,
    pub buckets: BTreeMap<HashPrefix, u64>,
    /// The list of buckets in the table cannot be read. So `buckets` is empty, and the index must be built again.
    pub is_damaged: bool,
}

impl Manifest {
    /// The bucket of an id. Buckets without entries are not stored: then it is the largest one beside the stored buckets.
    pub fn bucket_of(&self, id: &ListingId) -> HashPrefix {
        let hash = id_hash(id);
        if let Some(stored) = self.buckets.keys().copied().find(|prefix| prefix.covers(hash)) {
            return stored;
        }
        let mut free = HashPrefix::default();
        while self.buckets.keys().any(|stored| free.contains(*stored)) {
            let mut halves = free.halves().into_iter().flatten();
            let Some(half) = halves.find(|half| half.covers(hash)) else { break };
            free = half;
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_of_an_id_overlaps_no_stored_bucket() {
        let ids: Vec<ListingId> = (0..200).map(|n| format!("mcp-{n}").parse().unwrap()).collect();
        let mut manifest = Manifest::default();
        assert_eq!(manifest.bucket_of(&ids[0]), HashPrefix::default());
        // One deep bucket; all others are missing.
        let mut deep = HashPrefix::default();
        for _ in 0..12 {
            deep = deep.halves().unwrap()[1];
        }
        manifest.buckets.insert(deep, 1);
        let mut found: Vec<HashPrefix> = ids.iter().map(|id| manifest.bucket_of(id)).collect();
        assert!(ids.iter().zip(&found).all(|(id, prefix)| prefix.holds(id)));
        found.push(deep);
        found.sort_unstable();
        found.dedup();
        for (at, one) in found.iter().enumerate() {
            assert!(found[at + 1..].iter().all(|other| !one.contains(*other) && !other.contains(*one)));
        }
    }
}
