//! The counts of Live listings and of the funnel, as plain data. `records/counters.rs` reads and writes them.

use registry_model::{Kind, Moment, Sku};

/// What is Live, and what the active list shows with it.
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
        by_kind(kind, self.agents, self.mcps)
    }
}

/// What belongs to a kind of listings, such as the name of its counter.
pub(crate) const fn by_kind<T: Copy>(kind: Kind, of_agents: T, of_mcps: T) -> T {
    match kind {
        Kind::Agent => of_agents,
        Kind::Mcp => of_mcps,
    }
}
