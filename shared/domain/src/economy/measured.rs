//! Reads the counts, totals and hourly samples from which all numbers of the economy are computed. All of
//! them are read together. The samples contain the same counts, so that rates of growth can be compared.

use std::collections::BTreeMap;

use futures::future::BoxFuture;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Serialize;

use super::acceleration::Acceleration;
use super::hyper::{self, Hyper, IndexChange};
use super::network_value::Network;
use super::phase::{self, Phase};
use super::rounded;
use super::s_curve::Curve;
use registry_app::App;
use registry_model::settings::Settings;
use registry_model::{Moment, TrailEvent};
use registry_store::{Board, EconomySample, Live, SampledCounts, StoreError, TrailTotals};

/// Two days of hourly samples: a curve needs the last day and the day before.
const SAMPLES: u32 = 49;
/// The rate is taken over a day; the extra half hour allows for a sample that came late.
const PACE_WINDOW: SignedDuration = SignedDuration::from_mins(24 * 60 + 30);
/// Trails whose mean score is the heat.
const HOTTEST_TRAILS: usize = 5;

#[derive(Clone, Debug)]
pub struct Measured {
    pub at: Moment,
    pub live: Live,
    pub counts: SampledCounts,
    pub acceleration: Acceleration,
    totals: TrailTotals,
    samples: Vec<EconomySample>,
}

/// How many events happen per hour, and the growth phase.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Pace {
    /// The growth phase of the registry.
    pub phase: Phase,
    /// The number of events per hour, multiplied by their weights.
    pub weighted_rate: f64,
    /// The highest rate so far.
    pub fastest_rate: f64,
    /// The number of hours for which the rate is computed. Null before the first sample.
    pub hours: Option<f64>,
    /// Events in that time, by name.
    pub happened: BTreeMap<&'static str, u64>,
    /// The weights of the events and the thresholds of the phases.
    pub thresholds: &'static str,
}

const THRESHOLDS: &str = "weights: take_demo 3, leave_feedback 5, founding_claim 8, leave_trace 2, \
    list_yourself 2, endorse 2, match_hit 0.5; early_s from 2 per hour; steep from 20 per hour; mature if \
    the fastest rate was at least 20 and the rate is now below half of it";

pub async fn measure(app: &App) -> Result<Measured, StoreError> {
    let (store, at) = (&app.store, app.clock.now());
    let (live, totals, bumps, samples) = futures::try_join!(
        store.live(),
        store.trail_totals(at),
        store.bumps(at),
        store.economy_samples(SAMPLES)
    )?;
    let acceleration = Acceleration::of(|event| totals.of(event), bumps);
    Ok(Measured { at, counts: counts(&live, &totals, &app.settings), live, acceleration, totals, samples })
}

pub async fn acceleration(app: &App) -> Result<Acceleration, StoreError> {
    let now = app.clock.now();
    let (totals, bumps) = futures::try_join!(app.store.trail_totals(now), app.store.bumps(now))?;
    Ok(Acceleration::of(|event| totals.of(event), bumps))
}

/// Scales the day's budget of first touches: from 1 to 1.8.
pub async fn day_budget_multiplier(app: &App) -> Result<f64, StoreError> {
    Ok(acceleration(app).await?.multipliers().day_budget)
}

/// Takes the sample of this hour if there is none. A failure is logged, and the next tick tries again.
pub fn take_sample(app: &App) -> BoxFuture<'_, ()> {
    Box::pin(async move {
        if let Err(error) = take_sample_if_missing(app).await {
            tracing::warn!(%error, "could not store the sample of this hour; the next tick tries again");
        }
    })
}

async fn take_sample_if_missing(app: &App) -> Result<(), StoreError> {
    if app.store.has_economy_sample(app.clock.now()).await? {
        return Ok(());
    }
    let measured = measure(app).await?;
    let pace = measured.pace();
    let count = |event: TrailEvent| (event.as_str().to_owned(), measured.totals.of(event).count);
    let sample = EconomySample {
        at: measured.at,
        acceleration_index: measured.acceleration.index,
        rate: pace.weighted_rate,
        fastest_rate: pace.fastest_rate,
        events: TrailEvent::ALL.into_iter().map(count).collect(),
        counts: measured.counts,
    };
    // If another tick was first, its sample is used.
    app.store.keep_economy_sample(&sample).await.map(drop)
}

/// The mean score of the strongest trails.
pub async fn trail_heat(app: &App) -> Result<f64, StoreError> {
    let hottest = app.store.strongest(Board::Hot, HOTTEST_TRAILS, app.clock.now()).await?;
    let sum: f64 = hottest.iter().map(|(_, trail)| trail.trail_score()).sum();
    Ok(if hottest.is_empty() { 0.0 } else { rounded(sum / hottest.len() as f64) })
}

impl Measured {
    /// The pace over the last day, or over the time since the first sample.
    pub fn pace(&self) -> Pace {
        let since = self.samples.iter().rev().find(|sample| self.at.duration_since(sample.at) <= PACE_WINDOW);
        let happened = |event: TrailEvent| {
            let before = since.map_or(0, |sample| sample.events.get(event.as_str()).copied().unwrap_or(0));
            self.totals.of(event).count.saturating_sub(before)
        };
        let hours = since.map(|sample| hours_between(sample.at, self.at));
        let rate = hours.map_or(0.0, |hours| phase::rate(happened, hours));
        let known = self.samples.first().map_or(0.0, |sample| sample.fastest_rate);
        let fastest = known.max(rate);
        let counted = TrailEvent::ALL.into_iter().filter(|event| phase::weight(*event) > 0.0);
        Pace {
            phase: Phase::of(rate, fastest),
            weighted_rate: rate,
            fastest_rate: fastest,
            hours,
            happened: counted.map(|event| (event.as_str(), happened(event))).collect(),
            thresholds: THRESHOLDS,
        }
    }

    /// The change of the index over a day of samples, and the gates.
    pub fn hyper(&self, trail_heat: f64) -> Hyper {
        let samples = &self.samples[..self.samples.len().min(hyper::SAMPLES)];
        let (last, first) = (samples.first(), samples.last());
        let index = |sample: Option<&EconomySample>| sample.map(|sample| sample.acceleration_index);
        let inputs = IndexChange {
            samples: samples.len(),
            first: index(first),
            last: index(last),
            hours: last.zip(first).map_or(0.0, |(last, first)| hours_between(first.at, last.at)),
        };
        let Network { listings, compositions, outcomes, peers, .. } = self.network();
        let measured = [compositions, outcomes, trail_heat, peers, self.acceleration.index, listings];
        Hyper::of(inputs, measured)
    }

    pub fn network(&self) -> Network {
        let listings = self.counts.listings as f64;
        Network {
            listings,
            compositions: Network::share(self.counts.compositions as f64, listings),
            outcomes: Network::share(self.counts.outcomes as f64, listings),
            peers: self.counts.federation as f64,
            dense: false,
        }
    }

    pub fn curves(&self) -> Vec<Curve> {
        let ago = |hours: i64| {
            let then = self.at - SignedDuration::from_hours(hours);
            let distance = |sample: &&EconomySample| sample.at.duration_since(then).abs();
            // Without samples, all earlier counts are zero.
            self.samples.iter().min_by_key(distance).map(|sample| sample.counts).unwrap_or_default()
        };
        let (now, a_day_ago, two_days_ago) = (self.counts, ago(24), ago(48));
        let curve = |id, label, of: fn(&SampledCounts) -> u64| {
            Curve::of(id, label, of(&now) as f64, of(&a_day_ago) as f64, of(&two_days_ago) as f64)
        };
        vec![
            curve("listings", "Live listings", |counts| counts.listings),
            curve("trails", "Marks on trails", |counts| counts.trails),
            curve("compositions", "Listings used together", |counts| counts.compositions),
            curve("outcomes", "Reported outcomes", |counts| counts.outcomes),
            curve("federation", "Federation peers", |counts| counts.federation),
            curve("demos", "Demos taken", |counts| counts.demos),
            curve("identity", "Listings with a bound identity", |counts| counts.identities),
            curve("attestations", "Attestations issued", |counts| counts.attestations),
        ]
    }

    pub fn sampled_at(&self) -> Option<Moment> {
        self.samples.first().map(|sample| sample.at)
    }
}

fn counts(live: &Live, totals: &TrailTotals, settings: &Settings) -> SampledCounts {
    SampledCounts {
        listings: u64::from(live.agents) + u64::from(live.mcps),
        trails: totals.marks,
        compositions: totals.compositions,
        outcomes: totals.of(TrailEvent::Outcome).count,
        federation: settings.federation_peers.len() as u64,
        demos: u64::from(live.funnel.demos_agents) + u64::from(live.funnel.demos_mcps),
        identities: u64::from(live.identities),
        attestations: totals.of(TrailEvent::Attestation).count,
    }
}

fn hours_between(earlier: Moment, later: Moment) -> f64 {
    rounded(later.duration_since(earlier).as_secs_f64() / 3600.0)
}
