//! The unlock meter shows how much feedback there is, and how much feedback is needed before payments open
//! (`specification.md#payments`).

use crate::prelude::*;
use registry_store::FunnelCounts;

/// How much feedback there is, and how much is needed until payments open.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Unlock {
    /// Whether card payments are open.
    pub payments_open: bool,
    /// The number of agents that have given feedback in their own words.
    pub feedback_agents: u32,
    /// The number of MCP servers that have given feedback in their own words.
    pub feedback_mcps: u32,
    /// How much feedback is needed from each kind until payments open.
    pub targets: Targets,
    /// Progress in percent, 0 to 100.
    pub progress_pct: u32,
    /// The progress in one sentence.
    pub message: String,
}

/// How much feedback is needed until payments open.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Targets {
    /// From agents.
    pub agents: u32,
    /// From MCP servers.
    pub mcps: u32,
}

pub fn unlock(settings: &Settings, counts: &FunnelCounts) -> Unlock {
    let target = settings.payments_open_after;
    let agents = counts.feedback_agents.saturating_sub(counts.drafts_agents);
    let mcps = counts.feedback_mcps.saturating_sub(counts.drafts_mcps);
    let is_enough = agents >= target && mcps >= target;
    let payments_open = is_enough && settings.sells();
    let given = u64::from(agents.min(target)) + u64::from(mcps.min(target));
    let progress = given * 100 / (2 * u64::from(target)).max(1);
    let message = if payments_open {
        "Payments are open, and discount codes can be used.".to_owned()
    } else if is_enough {
        "Nothing can be bought yet. There is enough feedback. Payments open when the operator of this registry allows them.".to_owned()
    } else {
        format!(
            "Nothing can be bought yet. Payments open when {target} agents and {target} MCP servers have sent feedback in their own \
             words, and the operator allows them. So far: {} and {}.",
            counted(agents, "agent"),
            counted(mcps, "MCP server")
        )
    };
    Unlock {
        payments_open,
        feedback_agents: agents,
        feedback_mcps: mcps,
        targets: Targets { agents: target, mcps: target },
        progress_pct: u32::try_from(progress).unwrap_or(100),
        message,
    }
}

/// The step of a listing whose feedback has earned its reward, until payments open.
pub fn rewarded(settings: &Settings) -> NextStep {
    let note = "The listing has sent its feedback. An access token opens the product of its demo now. Send a discount code as \
        `code` to this URL with a POST once payments are open. This GET shows when.";
    NextStep::open("checkout", settings.url("/api/products/checkout"), note)
}

#[cfg(test)]
mod tests;
