//! `/status`: probe statistics with charts. The page shows the number of Live listings over time, the
//! budget, the schedules and the evidence log.

use super::chart::{self, Drawing, Plot};
use super::frame::{self, Frame, Section, html};
use super::when::When;
use crate::documents::probe_statistics::{self, Statistics};
use crate::documents::reused_for;
use crate::prelude::*;
use registry_features::log::{self, Published};
use registry_model::{Handshake, ProbeRecord};
use registry_store::EconomySample;

/// Of samples in the chart.
const SAMPLE_HOURS: u32 = 14 * 24;
const MAX_RECENT: usize = 20;
/// Seconds for which a rendered page is reused.
const REUSED_FOR_S: u32 = 30;

#[derive(Template)]
#[template(path = "status.html")]
struct Page<'a> {
    frame: Frame<'a>,
    statistics: &'a Statistics,
    now: Moment,
    growth: Growth,
    /// Label, used, of and the bar.
    budgets: [(&'static str, u32, u32, Drawing); 3],
    log: Option<Published>,
}

impl Page<'_> {
    fn when(&self, at: &Moment) -> When {
        When::of(*at, self.now)
    }

    fn recent(&self) -> impl Iterator<Item = &ProbeRecord> {
        self.statistics.recent.iter().take(MAX_RECENT)
    }
}

struct Growth {
    plot: Option<Plot>,
    first: String,
    samples: usize,
}

pub(super) static STATUS: AnyDocument = AnyDocument {
    paths: &["/status"],
    summary: "The probe statistics for people: Live listings over time, budget and schedules.",
    max_age_s: Some(15),
    validator: |app, _| reused_for(app, REUSED_FOR_S, "status"),
    ..frame::page(|app, _| Box::pin(render(app)))
};

async fn render(app: &App) -> Result<Bytes, Problem> {
    // Boxed: the futures of many concurrent reads are too large for the stack of a thread.
    let (statistics, samples, log) = futures::try_join!(
        async { Ok(Box::pin(probe_statistics::read_statistics(app)).await?) },
        async { Ok(Box::pin(app.store.economy_samples(SAMPLE_HOURS)).await?) },
        Box::pin(log::published(app)),
    )?;
    let now = app.clock.now();
    let live = &statistics.live_active;
    let description =
        format!("{} Live agents and {} Live MCP servers, with probe statistics.", live.agents, live.mcp);
    html(&Page {
        frame: Frame::of(&app.settings, Section::Status, "/status", "Status", description),
        now,
        growth: Growth::of(&samples, live.total, now),
        budgets: budgets(&statistics),
        log,
        statistics: &statistics,
    })
}

impl Growth {
    fn of(samples: &[EconomySample], live: u32, now: Moment) -> Self {
        let since = now - SignedDuration::from_hours(SAMPLE_HOURS.into());
        let samples: Vec<&EconomySample> = samples.iter().filter(|sample| sample.at >= since).collect();
        let first = samples.last().map_or(now, |sample| sample.at);
        let all = now.duration_since(first).as_secs_f64();
        let fraction = |at: Moment| (at.duration_since(first).as_secs_f64() / all).clamp(0.0, 1.0);
        let mut points: Vec<(f64, f64)> =
            samples.iter().rev().map(|sample| (fraction(sample.at), sample.counts.listings as f64)).collect();
        points.push((1.0, f64::from(live)));
        Self {
            plot: (samples.len() > 1 && all > 0.0).then(|| chart::area(&points)),
            first: first.utc_day(),
            samples: samples.len(),
        }
    }
}

fn budgets(statistics: &Statistics) -> [(&'static str, u32, u32, Drawing); 3] {
    let row = |label, used, of| (label, used, of, chart::proportion("used", used, of));
    [
        row("these 2 minutes", statistics.window_used, statistics.window_cap),
        row("this hour", statistics.hourly_used, statistics.hourly_cap),
        row("today", statistics.used, statistics.budget),
    ]
}

fn class(probe: &ProbeRecord) -> &'static str {
    match probe.handshake {
        Handshake::Ok if probe.reason.is_none() => "good",
        // It answered, but a check failed.
        Handshake::Ok | Handshake::Partial => "warn",
        Handshake::Fail => "bad",
        Handshake::Skip => "plain",
    }
}
