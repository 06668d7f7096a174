//! How much is Live, as one value. Apart from the counters it is summed from, because the read cache holds it and the
//! counters are read through the cache.

use crate::model::{Kind, Moment};

/// What is Live now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Live agents.
    pub agents: u32,
    /// Live MCP servers.
    pub mcps: u32,
    /// When those whose proof had run out were last counted out; `None` before the first time.
    pub as_of: Option<Moment>,
    /// Grows with every change to anything that the active list shows.
    pub version: u64,
}

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
