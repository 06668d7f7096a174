//! How much is Live, as one value. Apart from the counters it is summed from, because the read cache holds it and the
//! counters are read through the cache.

use registry_model::{Kind, Moment, Sku};

/// What is Live now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Live agents.
    pub agents: u32,
    /// Live MCP servers.
    pub mcps: u32,
    /// When those whose proof had run out were last counted out; `None` before the first time.
    pub as_of: Option<Moment>,
    /// Listings that were never Live, failed for thirty days and were deleted, since the table exists.
    pub expired: u32,
    /// How far the funnel has come.
    pub funnel: FunnelCounts,
    /// Listings whose domain bound a key, since the table exists.
    pub identities: u32,
    /// Grows with every change to anything that the active list shows.
    pub version: u64,
}

/// What the funnel counted since the table exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunnelCounts {
    /// Founding seats taken.
    pub seats_claimed: u32,
    /// Demos that agents took.
    pub demos_agents: u32,
    /// Demos that MCP servers took.
    pub demos_mcps: u32,
    /// Agents that gave feedback.
    pub feedback_agents: u32,
    /// MCP servers that gave feedback.
    pub feedback_mcps: u32,
    /// Ratings by product and by stars; a draft that was sent as it came is none.
    pub ratings: Ratings,
}

/// How often each product was given 1 to 5, the products in the order of [`Sku::ALL`].
pub type Ratings = [[u32; 5]; Sku::ALL.len()];

impl Live {
    /// Live listings of one kind.
    #[must_use]
    pub const fn of(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Agent => self.agents,
            Kind::Mcp => self.mcps,
        }
    }
}
