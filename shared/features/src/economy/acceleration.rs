//! The acceleration index measures recent activity. It is 1 when nothing happens, and at most 3. Each event adds its weight to
//! the index. The effect of an event halves every 72 hours, so the index is computed from counts that decrease with time. Two
//! multipliers are computed from the index. Each has a maximum.
//!
//! One of them scales the boost of a listing. Among listings of the same relevance, a listing with a higher boost comes first.
//! The boost is computed from the reported outcomes of the listing and from its trail (its score for recent use). The trail
//! counts only up to a maximum, so that many marks cannot outweigh everything else.

use std::collections::{BTreeMap, BTreeSet};

use super::rounded;
use crate::prelude::*;
use registry_model::{OutcomeTally, Trail, TrailEvent};
use registry_store::{BoostInputs, EventTotal, StoreError};

pub const HALF_LIFE_HOURS: u32 = 72;
pub const MIN_INDEX: f64 = 1.0;
/// The largest excess: the index is at most 3.
pub const MAX_EXCESS: f64 = 2.0;

/// What one event adds to the index, from the origin's table; other events add nothing.
pub const fn weight(event: TrailEvent) -> f64 {
    match event {
        TrailEvent::TakeDemo => 0.012,
        TrailEvent::LeaveFeedback => 0.04,
        TrailEvent::FoundingClaim => 0.08,
        TrailEvent::LeaveTrace => 0.008,
        TrailEvent::Endorse => 0.015,
        TrailEvent::UsedWith => 0.01,
        TrailEvent::MatchHit => 0.003,
        TrailEvent::MatchQuery => 0.001,
        TrailEvent::ListYourself => 0.01,
        TrailEvent::ProbeOk => 0.002,
        TrailEvent::ProbeFail => 0.004,
        TrailEvent::Contagion => 0.005,
        _ => 0.0,
    }
}

pub const FORMULA: &str = "acceleration_index = 1 + min(2, sum of weight * recent); `recent` counts each \
    event as 0.5^(hours since the event / 72), and `operator_bump` what it added";

/// The name of an operator's bump among the events. The bump is stored as what it adds, so its weight is 1.
pub const OPERATOR_BUMP: &str = "operator_bump";

/// What one kind of event adds to the index.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Contribution {
    /// The name of the event.
    pub event: &'static str,
    /// What a single event adds.
    pub weight: f64,
    /// Events since the registry was started.
    pub count: u64,
    /// Recent events: an event counts half after 72 hours.
    pub recent: f64,
    /// `weight` times `recent`.
    pub adds: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Acceleration {
    /// From 1 to 3.
    pub index: f64,
    /// The index minus 1; the multipliers are computed from it.
    pub excess: f64,
    /// The part that the operator added.
    pub bumped: f64,
    /// What each event adds, before the sum is capped at 2.
    pub contributions: Vec<Contribution>,
}

impl Acceleration {
    pub fn of(counted: impl Fn(TrailEvent) -> EventTotal, bumps: EventTotal) -> Self {
        let weighted = TrailEvent::ALL.into_iter().filter(|event| weight(*event) > 0.0);
        let of_events = weighted.map(|event| contribution(event.as_str(), weight(event), counted(event)));
        let contributions: Vec<Contribution> =
            of_events.chain([contribution(OPERATOR_BUMP, 1.0, bumps)]).collect();
        let sum: f64 = contributions.iter().map(|one| one.adds).sum();
        let excess = rounded(sum.clamp(0.0, MAX_EXCESS));
        let bumped = rounded(bumps.recent.clamp(0.0, MAX_EXCESS));
        Self { index: rounded(MIN_INDEX + excess), excess, bumped, contributions }
    }

    pub fn multipliers(&self) -> Multipliers {
        Multipliers::of(self.excess, self.bumped)
    }
}

/// The multipliers at one index.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Multipliers {
    /// Scales the boost of a listing's trail.
    pub match_boost: f64,
    /// Scales the daily budget of invitations and connector messages. Only the operator can raise it.
    pub day_budget: f64,
}

/// How a multiplier is computed, and what it scales.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct MultiplierRule {
    /// Its name in `multipliers`.
    pub name: &'static str,
    /// The formula, of numbers in this answer: `excess`, and `adds` of an entry of `inputs`.
    pub formula: &'static str,
    /// Its upper bound.
    pub most: f64,
    /// What the multiplier scales.
    pub applies_to: &'static str,
}

pub const MULTIPLIER_RULES: [MultiplierRule; 2] = [
    MultiplierRule {
        name: "match_boost",
        formula: "1 + 0.5 * excess",
        most: 2.0,
        applies_to: "the trail boost of abundance_rank, and of match_capability (there it orders results with an \
            equal score)",
    },
    MultiplierRule {
        name: "day_budget",
        formula: "1 + 0.4 * adds of operator_bump",
        most: 1.8,
        applies_to: "the daily budget of outreach messages (conversion_pressure)",
    },
];

impl Multipliers {
    /// `bumped` is the part of the excess that the operator added: anonymous callers must not cause more messages.
    pub fn of(excess: f64, bumped: f64) -> Self {
        let scaled = |by: f64, part: f64| rounded(1.0 + by * part.clamp(0.0, MAX_EXCESS));
        Self { match_boost: scaled(0.5, excess), day_budget: scaled(0.4, bumped) }
    }
}

fn contribution(event: &'static str, weight: f64, counted: EventTotal) -> Contribution {
    let recent = rounded(counted.recent);
    Contribution { event, weight, count: counted.count, recent, adds: rounded(weight * recent) }
}

/// What an operator's bump adds, for an amount from 1 to 50: the event's weight times 0.25 to 3.
pub fn bump(event: TrailEvent, amount: f64) -> f64 {
    weight(event) * (amount / 10.0).clamp(0.25, 3.0)
}

pub const MAX_TRAIL_BOOST: f64 = 20.0;

pub const BOOST_FORMULA: &str = "boost = 0.6 * outcome_score + 0.4 * min(20, trail_boost); trail_boost = match_boost * max(0, trail_score)";

/// A boost and what it was computed from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Boost {
    /// The rank value: 0.6 times `outcome_score` plus 0.4 times `trail_boost`. At most 20 of `trail_boost` counts.
    pub boost: f64,
    /// How well reported uses of the listing went, from 0 to 1. Null without reports; then the boost counts 0.
    pub outcome_score: Option<f64>,
    /// The score of the listing's trail (recent use), scaled by the multiplier `match_boost`.
    pub trail_boost: f64,
    /// How many uses callers reported, how many of them worked, and how many endorsements the listing has.
    pub outcomes: u64,
    pub outcomes_ok: u64,
    pub endorsements: u32,
}

impl Boost {
    pub fn of(outcome_score: Option<f64>, trail_score: f64, match_boost: f64) -> Self {
        let trail_boost = match_boost * trail_score.max(0.0);
        Self {
            boost: rounded(0.6 * outcome_score.unwrap_or_default() + 0.4 * trail_boost.min(MAX_TRAIL_BOOST)),
            outcome_score: outcome_score.map(rounded),
            trail_boost: rounded(trail_boost),
            ..Self::default()
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boosts {
    pub match_boost: f64,
    /// Listings without a trail and without outcomes are left out.
    pub by_listing: BTreeMap<ListingId, Boost>,
}

impl Boosts {
    pub fn of(&self, id: &ListingId) -> Boost {
        self.by_listing.get(id).copied().unwrap_or_default()
    }
}

pub async fn boosts(app: &App, ids: &[ListingId]) -> Result<Boosts, StoreError> {
    let BoostInputs { trails, outcomes, totals, bumps } =
        app.store.boost_inputs(ids, app.clock.now()).await?;
    let acceleration = Acceleration::of(|event| totals.of(event), bumps);
    let match_boost = acceleration.multipliers().match_boost;
    let known: BTreeSet<&ListingId> = trails.keys().chain(outcomes.keys()).collect();
    let by_listing = known.into_iter().map(|id| {
        let (tally, trail) = (outcomes.get(id), trails.get(id));
        let trail_score = trail.map_or(0.0, Trail::trail_score);
        let boost = Boost {
            outcomes: tally.map_or(0, |tally| tally.count),
            outcomes_ok: tally.map_or(0, |tally| tally.ok),
            endorsements: trail.map_or(0, Trail::endorsements),
            ..Boost::of(tally.and_then(OutcomeTally::score), trail_score, match_boost)
        };
        (id.clone(), boost)
    });
    Ok(Boosts { match_boost, by_listing: by_listing.collect() })
}

#[cfg(test)]
mod tests;
