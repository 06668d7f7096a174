//! Reads the counters for `get_learning` and `improvement_log`: steps of the funnel, ratings of products, and
//! reasons of failed probes. This takes two queries. The counters contain no texts of users.

use crate::prelude::*;
use registry_probe::explain;
use registry_store::{CountedReason, Live, Tally};

#[derive(Debug)]
pub(super) struct Lessons {
    pub at: Moment,
    pub live: Live,
    /// The probes of this UTC day.
    pub tally: Tally,
}

/// The count of a stage, by kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct FunnelStage {
    /// `live`, `demo`, `feedback` or `seat`.
    pub id: &'static str,
    /// What is counted.
    pub counts: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcps: Option<u32>,
    pub total: u32,
    /// For demos: how many of them count as real, because they were requested without an invitation or confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub real: Option<u32>,
    /// The percentage of the total of the stage before. Absent unless both stages are counted since the registry started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_stage_before_pct: Option<u32>,
}

/// The number of ratings by value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct Rating {
    /// The number of ratings, without those of drafts.
    pub ratings: u32,
    /// Null before the first rating.
    pub average: Option<f64>,
    /// The number of ratings 1, 2, 3, 4 and 5.
    pub distribution: [u32; 5],
}

/// A reason why probes fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Gap {
    /// The reason as in the probe statistics.
    pub reason: String,
    /// The number of probes today.
    pub count: u32,
    /// In percent of today's probes that were not `ok`.
    pub share_pct: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Lessons {
    pub(super) async fn read(app: &App) -> Result<Self, Problem> {
        let at = app.clock.now();
        let (live, tally) = futures::try_join!(app.store.live(), app.store.tally(at))?;
        Ok(Self { at, live, tally })
    }

    pub(super) fn stages(&self) -> Vec<FunnelStage> {
        let counts = &self.live.funnel;
        let stage = |id, counts, agents, mcps| FunnelStage {
            id,
            counts,
            agents: Some(agents),
            mcps: Some(mcps),
            total: u32::saturating_add(agents, mcps),
            real: None,
            of_stage_before_pct: None,
        };
        let (demos, feedback, seats) = (self.demos(), self.feedback(), counts.seats_claimed);
        let taken = "Demos taken, one for each listing and product.";
        let given = "Listings that gave feedback, once each, with drafts.";
        vec![
            stage("live", "Live now.", self.live.agents, self.live.mcps),
            FunnelStage {
                real: Some(demos.saturating_sub(counts.demos_unconfirmed)),
                ..stage("demo", taken, counts.demos_agents, counts.demos_mcps)
            },
            FunnelStage {
                of_stage_before_pct: percent(feedback, demos),
                ..stage("feedback", given, counts.feedback_agents, counts.feedback_mcps)
            },
            FunnelStage {
                agents: None,
                mcps: None,
                of_stage_before_pct: percent(seats, feedback),
                ..stage("seat", "Founding seats claimed.", seats, 0)
            },
        ]
    }

    pub(super) fn rating(&self, sku: Sku) -> Rating {
        let index = Sku::ALL.iter().position(|other| *other == sku);
        Rating::of(index.map_or([0; 5], |index| self.live.funnel.ratings[index]))
    }

    pub(super) fn rating_of_all(&self) -> Rating {
        let mut all = [0_u32; 5];
        for product in &self.live.funnel.ratings {
            for (sum, count) in all.iter_mut().zip(product) {
                *sum = sum.saturating_add(*count);
            }
        }
        Rating::of(all)
    }

    pub(super) fn drafts(&self) -> u32 {
        self.feedback().saturating_sub(self.rating_of_all().ratings)
    }

    pub(super) fn feedback(&self) -> u32 {
        self.live.funnel.feedback_agents.saturating_add(self.live.funnel.feedback_mcps)
    }

    pub(super) fn demos(&self) -> u32 {
        self.live.funnel.demos_agents.saturating_add(self.live.funnel.demos_mcps)
    }

    pub(super) fn not_ok(&self) -> u32 {
        let [_, partial, fail, skip] = self.tally.handshakes;
        partial.saturating_add(fail).saturating_add(skip)
    }

    pub(super) fn gaps(&self) -> Vec<Gap> {
        let gap = |counted: &CountedReason| Gap {
            reason: counted.reason.clone(),
            count: counted.count,
            share_pct: percent(counted.count, self.not_ok()).unwrap_or(0),
            fix: explain::fix_for_code(&counted.code),
        };
        // A package that is not checked is no fault.
        self.tally.reasons.iter().filter(|one| one.code != "package_unchecked").take(9).map(gap).collect()
    }
}

impl Rating {
    fn of(distribution: [u32; 5]) -> Self {
        let ratings: u32 = distribution.iter().fold(0, |sum, count| sum.saturating_add(*count));
        let stars: u64 = (1_u64..).zip(&distribution).map(|(stars, count)| stars * u64::from(*count)).sum();
        let hundredths = (stars * 100 + u64::from(ratings) / 2).checked_div(u64::from(ratings));
        let average = hundredths.and_then(|n| u32::try_from(n).ok()).map(|n| f64::from(n) / 100.0);
        Self { ratings, average, distribution }
    }
}

/// To the nearest whole number; `None` if `whole` is 0.
pub(super) fn percent(part: u32, whole: u32) -> Option<u32> {
    let rounded = (u64::from(part) * 100 + u64::from(whole) / 2).checked_div(whole.into())?;
    u32::try_from(rounded).ok()
}
