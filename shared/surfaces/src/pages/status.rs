//! `/status`: probe statistics with charts. The page shows the number of Live listings over time, the
//! budget, the schedules and the evidence log.

use askama::Template;
use bytes::Bytes;
use jiff::SignedDuration;

use super::chart::{self, Drawing, Plot};
use super::frame::{self, Frame, Section, html};
use super::when::When;
use crate::documents::AnyDocument;
use crate::documents::probe_statistics::{self, Statistics};
use registry_app::App;
use registry_domain::evidence_log::{self, Published};
use registry_model::cache::CacheValidator;
use registry_model::error::{Problem, shorten};
use registry_model::{Handshake, Moment, ProbeRecord, WitnessState};
use registry_store::EconomySample;

/// Of samples in the chart.
const SAMPLE_HOURS: u32 = 14 * 24;
const MAX_RECENT: usize = 20;
/// Seconds for which a rendered page is reused.
const REUSED_FOR_S: i64 = 30;

#[derive(Template)]
#[template(path = "status.html")]
struct Page<'a> {
    frame: Frame<'a>,
    statistics: &'a Statistics,
    next_tick: When,
    last_tick: Option<When>,
    last_ok_tick: Option<When>,
    growth: Growth,
    /// Label, used, of and the bar.
    budgets: [(&'static str, u32, u32, Drawing); 3],
    next_recheck: Option<When>,
    recent: Vec<RecentRow>,
    log: Option<LogRow>,
}

struct Growth {
    plot: Option<Plot>,
    first: String,
    samples: usize,
}

struct RecentRow {
    path: String,
    target: String,
    outcome: &'static str,
    class: &'static str,
    why: Option<String>,
    latency_ms: Option<u32>,
    at: When,
}

struct LogRow {
    size: u64,
    root: String,
    signed: When,
    witnesses: Vec<WitnessRow>,
}

struct WitnessRow {
    name: String,
    size: u64,
    cosigned: Option<When>,
    failure: Option<String>,
}

pub(super) static STATUS: AnyDocument = AnyDocument {
    paths: &["/status"],
    summary: "The probe statistics for people: Live listings over time, budget and schedules.",
    max_age_s: Some(15),
    validator: |app, _| {
        let span = app.clock.now().as_second().div_euclid(REUSED_FOR_S);
        Ok(Some(CacheValidator::weak(&format!("status/{span}"))))
    },
    ..frame::page(|app, _| Box::pin(render(app)))
};

async fn render(app: &App) -> Result<Bytes, Problem> {
    // Boxed: the futures of many concurrent reads are too large for the stack of a thread.
    let (statistics, samples, log) = futures::try_join!(
        async { Ok(Box::pin(probe_statistics::read(app)).await?) },
        async { Ok(Box::pin(app.store.economy_samples(SAMPLE_HOURS)).await?) },
        Box::pin(evidence_log::published(app)),
    )?;
    html(&page(app, &statistics, &samples, log))
}

fn page<'a>(
    app: &'a App,
    statistics: &'a Statistics,
    samples: &[EconomySample],
    log: Option<Published>,
) -> Page<'a> {
    let now = app.clock.now();
    let seen = |at: Option<Moment>| at.map(|at| When::of(at, now));
    let live = &statistics.live_active;
    let description =
        format!("{} Live agents and {} Live MCP servers, with probe statistics.", live.agents, live.mcp);
    Page {
        frame: Frame::of(&app.settings, Section::Status, "/status", "Status", description),
        next_tick: When::of(statistics.next_tick_at, now),
        last_tick: seen(statistics.last_tick_at),
        last_ok_tick: seen(statistics.last_ok_tick_at),
        growth: Growth::of(samples, live.total, now),
        budgets: budgets(statistics),
        next_recheck: seen(statistics.weekly_recheck.next_due_at),
        recent: statistics.recent.iter().take(MAX_RECENT).map(|probe| RecentRow::of(probe, now)).collect(),
        log: log.map(|log| LogRow::of(log, now)),
        statistics,
    }
}

impl Growth {
    fn of(samples: &[EconomySample], live: u32, now: Moment) -> Self {
        let since = now - SignedDuration::from_hours(SAMPLE_HOURS.into());
        let samples: Vec<&EconomySample> = samples.iter().filter(|sample| sample.at >= since).collect();
        let first = samples.last().map_or(now, |sample| sample.at);
        let all = now.duration_since(first).as_secs_f64();
        let place = |at: Moment| (at.duration_since(first).as_secs_f64() / all).clamp(0.0, 1.0);
        let mut points: Vec<(f64, f64)> =
            samples.iter().rev().map(|sample| (place(sample.at), sample.counts.listings as f64)).collect();
        points.push((1.0, f64::from(live)));
        Self {
            plot: (samples.len() > 1 && all > 0.0).then(|| chart::area(&points)),
            first: first.utc_day(),
            samples: samples.len(),
        }
    }
}

fn budgets(statistics: &Statistics) -> [(&'static str, u32, u32, Drawing); 3] {
    let row = |label, used, of| (label, used, of, chart::share("used", used, of));
    [
        row("these 2 minutes", statistics.window_used, statistics.window_cap),
        row("this hour", statistics.hourly_used, statistics.hourly_cap),
        row("today", statistics.used, statistics.budget),
    ]
}

impl LogRow {
    fn of(Published { tree, witnesses }: Published, now: Moment) -> Self {
        let row = |witness: WitnessState| WitnessRow {
            name: witness.vkey.split('+').next().unwrap_or_default().to_owned(),
            size: witness.tree_size,
            cosigned: witness.cosigned_at.map(|at| When::of(at, now)),
            failure: witness.failure,
        };
        let witnesses = witnesses.into_iter().map(row).collect();
        Self { size: tree.size, root: tree.root, signed: When::of(tree.at, now), witnesses }
    }
}

impl RecentRow {
    fn of(probe: &ProbeRecord, now: Moment) -> Self {
        let class = match probe.handshake {
            Handshake::Ok if probe.reason.is_none() => "good",
            // It answered, but a check failed.
            Handshake::Ok | Handshake::Partial => "warn",
            Handshake::Fail => "bad",
            Handshake::Skip => "plain",
        };
        Self {
            path: format!("/list/{}", probe.id),
            target: shorten(&probe.target, 80),
            outcome: probe.handshake.as_str(),
            class,
            why: probe.reason.as_deref().map(|reason| shorten(reason, 120)),
            latency_ms: probe.latency_ms,
            at: When::of(probe.probed_at, now),
        }
    }
}
