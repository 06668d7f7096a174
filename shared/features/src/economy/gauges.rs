//! The gauges of the registry: totals, recent activity and hourly samples. One set of reads fills them, and every answer
//! of the economy is computed from them.

use futures::future::BoxFuture;
use jiff::SignedDuration;

use super::acceleration::Acceleration;
use super::hyper::{self, Hyper, IndexChange};
use super::metcalfe::Network;
use super::rounded;
use super::s_curve::Curve;
use crate::prelude::*;
use registry_model::{EconomyTotals, TrailEvent};
use registry_store::{Board, EconomySample, Live, StoreError, TrailTotals};

/// Two days of hourly samples: a curve needs the last day and the day before.
const SAMPLES: u32 = 49;
/// Trails whose mean score is the heat.
const HOTTEST_TRAILS: usize = 5;

#[derive(Clone, Debug)]
pub struct Gauges {
    pub at: Moment,
    pub totals: EconomyTotals,
    pub acceleration: Acceleration,
    /// The mean score of the strongest trails.
    trail_heat: f64,
    /// The newest first.
    samples: Vec<EconomySample>,
}

/// The acceleration alone, without the other gauges.
pub async fn acceleration(app: &App) -> Result<Acceleration, StoreError> {
    let now = app.clock.now();
    let (totals, bumps) = futures::try_join!(app.store.trail_totals(now), app.store.bumps(now))?;
    Ok(Acceleration::of(|event| totals.of(event), bumps))
}

/// Takes the sample of this hour if there is none. A failure is logged, and the next tick tries again.
pub fn take_sample(app: &App) -> BoxFuture<'_, ()> {
    Box::pin(async move {
        if let Err(error) = take_sample_if_missing(app).await {
            tracing::warn!(
                error = chain(&error),
                "could not store the sample of this hour; the next tick tries again"
            );
        }
    })
}

async fn take_sample_if_missing(app: &App) -> Result<(), StoreError> {
    let at = app.clock.now();
    if app.store.has_economy_sample(at).await? {
        return Ok(());
    }
    let (totals, acceleration) = current(app, at).await?;
    let sample = EconomySample { at, acceleration_index: acceleration.index, counts: totals };
    // If another tick was first, its sample is used.
    app.store.keep_economy_sample(&sample).await.map(drop)
}

async fn current(app: &App, at: Moment) -> Result<(EconomyTotals, Acceleration), StoreError> {
    let store = &app.store;
    let (live, trails, bumps) = futures::try_join!(store.live(), store.trail_totals(at), store.bumps(at))?;
    Ok((totals(&live, &trails, &app.settings), Acceleration::of(|event| trails.of(event), bumps)))
}

fn totals(live: &Live, trails: &TrailTotals, settings: &Settings) -> EconomyTotals {
    EconomyTotals {
        listings: u64::from(live.agents) + u64::from(live.mcps),
        trails: trails.marks,
        compositions: trails.compositions,
        outcomes: trails.of(TrailEvent::Outcome).count,
        federation: settings.federation_peers.len() as u64,
        demos: u64::from(live.funnel.demos_agents) + u64::from(live.funnel.demos_mcps),
        identities: u64::from(live.identities),
        attestations: trails.of(TrailEvent::Attestation).count,
    }
}

async fn trail_heat(app: &App, at: Moment) -> Result<f64, StoreError> {
    let hottest = app.store.strongest(Board::Hot, HOTTEST_TRAILS, at).await?;
    let sum: f64 = hottest.iter().map(|(_, trail)| trail.trail_score()).sum();
    Ok(if hottest.is_empty() { 0.0 } else { rounded(sum / hottest.len() as f64) })
}

impl Gauges {
    pub async fn read(app: &App) -> Result<Self, StoreError> {
        let at = app.clock.now();
        let ((totals, acceleration), trail_heat, samples) =
            futures::try_join!(current(app, at), trail_heat(app, at), app.store.economy_samples(SAMPLES))?;
        Ok(Self { at, totals, acceleration, trail_heat, samples })
    }

    /// The change of the index over a day of samples, and the gates.
    pub fn hyper(&self) -> Hyper {
        let samples = &self.samples[..self.samples.len().min(hyper::SAMPLES)];
        let (last, first) = (samples.first(), samples.last());
        let index = |sample: Option<&EconomySample>| sample.map(|sample| sample.acceleration_index);
        let span = last.zip(first).map(|(last, first)| last.at.duration_since(first.at).as_secs_f64());
        let inputs = IndexChange {
            samples: samples.len(),
            first: index(first),
            last: index(last),
            hours: rounded(span.unwrap_or(0.0) / 3600.0),
        };
        let [listings, compositions, outcomes, peers] = self.network_inputs();
        let measured = [compositions, outcomes, self.trail_heat, peers, self.acceleration.index, listings];
        Hyper::of(inputs, measured)
    }

    /// The network, with the exponents of a dense network if enough gates are passed.
    pub fn network(&self) -> Network {
        let [listings, compositions, outcomes, peers] = self.network_inputs();
        Network { listings, compositions, outcomes, peers, dense: self.hyper().hyper_mode }
    }

    /// N, C, O and F of the formula of the network value.
    fn network_inputs(&self) -> [f64; 4] {
        let listings = self.totals.listings as f64;
        let share = |part: u64| Network::share(part as f64, listings);
        let EconomyTotals { compositions, outcomes, federation, .. } = self.totals;
        [listings, share(compositions), share(outcomes), federation as f64]
    }

    pub fn curves(&self) -> Vec<Curve> {
        let ago = |hours: i64| {
            // The nearest of hourly samples. Before the first sample, all counts are zero.
            let latest = self.at - SignedDuration::from_mins(60 * hours - 30);
            let sample = self.samples.iter().find(|sample| sample.at <= latest);
            sample.map(|sample| sample.counts).unwrap_or_default()
        };
        let (a_day_ago, two_days_ago) = (ago(24), ago(48));
        let curve = |id, label, of: fn(&EconomyTotals) -> u64| {
            Curve::of(id, label, of(&self.totals) as f64, of(&a_day_ago) as f64, of(&two_days_ago) as f64)
        };
        vec![
            curve("listings", "Live listings", |totals| totals.listings),
            curve("trails", "Marks on trails", |totals| totals.trails),
            curve("compositions", "Pairs used together", |totals| totals.compositions),
            curve("outcomes", "Reported outcomes", |totals| totals.outcomes),
            curve("federation", "Federation peers", |totals| totals.federation),
            curve("demos", "Demos taken", |totals| totals.demos),
            curve("identity", "Listings with a bound identity", |totals| totals.identities),
            curve("attestations", "Attestations issued", |totals| totals.attestations),
        ]
    }

    /// The time of the latest hourly sample.
    pub fn sampled_at(&self) -> Option<Moment> {
        self.samples.first().map(|sample| sample.at)
    }
}
