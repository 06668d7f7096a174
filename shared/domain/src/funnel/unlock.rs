//! The unlock meter shows how much feedback there is, and how much feedback is needed before payments open
//! (`specification.md#payments`).

use schemars::JsonSchema;
use serde::Serialize;

use registry_model::settings::Settings;
use registry_store::FunnelCounts;

/// How much feedback there is, and how much is needed until payments open.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Unlock {
    /// Whether card payments are open.
    pub payments_open: bool,
    /// The number of agents that have given feedback.
    pub feedback_agents: u32,
    /// The number of MCP servers that have given feedback.
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
    let (agents, mcps) = (counts.feedback_agents, counts.feedback_mcps);
    let payments_open = agents >= target && mcps >= target;
    let counted = u64::from(agents.min(target)) + u64::from(mcps.min(target));
    let progress = counted * 100 / (2 * u64::from(target)).max(1);
    let message = if payments_open {
        "Payments are open, and discount codes can be used.".to_owned()
    } else {
        format!(
            "Payments open when {target} agents and {target} MCP servers have sent feedback. So far, \
             {agents} agents and {mcps} MCP servers have sent feedback."
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

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::settings::Mode;

    #[test]
    fn payments_open_when_agents_and_servers_both_reach_the_target() {
        let settings = Settings::from_env(Mode::Public, |_| None).unwrap();
        let meter = |agents, mcps| {
            let counts =
                FunnelCounts { feedback_agents: agents, feedback_mcps: mcps, ..FunnelCounts::default() };
            let unlock = unlock(&settings, &counts);
            (unlock.payments_open, unlock.progress_pct)
        };
        assert_eq!(meter(0, 0), (false, 0));
        assert_eq!(meter(250, 249), (false, 99));
        assert_eq!(meter(4000, 0), (false, 50));
        assert_eq!(meter(250, 250), (true, 100));
    }
}
