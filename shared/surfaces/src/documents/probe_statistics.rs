//! `/api/probes`: the probe statistics of the specification. They show how much of the budget is used, the
//! outcomes of the day, and whether the schedules run. All numbers come from counters and index pages. No
//! records are counted.

use super::document::json;
use crate::prelude::*;
use registry_formats::injection;
use registry_model::{Handshake, ProbeRecord};
use registry_store::{Caps, CountedReason, StoreError, Tally, TickReport};

const MAX_ROWS: usize = 50;
const READ_PER_OUTCOME: i32 = 50;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Statistics {
    pub(crate) day: String,
    pub(crate) used: u32,
    pub(crate) budget: u32,
    pub(crate) remaining: u32,
    pub(crate) day_remaining: u32,
    pub(crate) hourly_used: u32,
    pub(crate) hourly_cap: u32,
    pub(crate) hourly_remaining: u32,
    pub(crate) hour_bucket: String,
    pub(crate) by_kind_today: ByKind,
    pub(crate) real_active_only: bool,
    pub(crate) wasted_probes_discarded: u32,
    pub(crate) last_tick_at: Option<Moment>,
    pub(crate) last_ok_tick_at: Option<Moment>,
    pub(crate) last_handshake: Option<Handshake>,
    pub(crate) next_tick_at: Moment,
    pub(crate) cadence_rule: String,
    /// What is Live now.
    pub(crate) live_active: LiveActive,
    /// What was Live at the last hourly count; before the first count, what is Live now.
    pub(crate) live_active_snapshot: LiveActive,
    /// How many listings should become Live in a day; no rule uses it.
    pub(crate) clean_list_target: u32,
    /// How often a listing became Live today; one that was restored or came back counts again.
    pub(crate) clean_listed_today: u32,
    pub(crate) probe_worker: Worker,
    pub(crate) weekly_recheck: Recheck,
    pub(crate) policy: Vec<String>,
    pub(crate) window_bucket: String,
    pub(crate) window_used: u32,
    pub(crate) window_cap: u32,
    pub(crate) window_remaining: u32,
    pub(crate) outcomes: Outcomes,
    pub(crate) recent: Vec<ProbeRecord>,
}

/// A URL whose kind is unknown counts as an agent, unless its path is a usual one of MCP endpoints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ByKind {
    pub(crate) agents: u32,
    pub(crate) mcps: u32,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LiveActive {
    pub(crate) total: u32,
    pub(crate) mcp: u32,
    pub(crate) agents: u32,
    pub(crate) at: Moment,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Worker {
    /// `running`; `late` if no tick ended for two and a half intervals; `starting` before the first tick.
    pub(crate) status: &'static str,
    pub(crate) last_tick_at: Option<Moment>,
    pub(crate) next_tick_at: Moment,
    /// The listing that was probed last, by a tick or an event.
    pub(crate) last_probed: Option<ListingId>,
    pub(crate) last_result: Option<Handshake>,
    /// Probes of the last tick. `used` also counts those by events.
    pub(crate) last_used: u32,
    pub(crate) ticks: u32,
    /// Always null.
    pub(crate) pid: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Recheck {
    pub(crate) interval_days: u32,
    pub(crate) unlimited: bool,
    pub(crate) active_ok: u32,
    pub(crate) due_now: u32,
    pub(crate) next_due_at: Option<Moment>,
    pub(crate) week: String,
    pub(crate) rechecked_this_week: u32,
    pub(crate) still_ok_this_week: u32,
    pub(crate) demoted_this_week: u32,
    pub(crate) note: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Outcomes {
    pub(crate) unique_primaries: u32,
    pub(crate) handshake: Shakes,
    pub(crate) fail_by_kind: Failed,
    pub(crate) fail_reasons: Vec<FailReason>,
    pub(crate) fail_samples: Vec<FailSample>,
    /// The total number of listings that were deleted because they failed for 30 days and were never Live.
    pub(crate) never_live_deleted: u32,
    pub(crate) note: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Shakes {
    pub(crate) ok: u32,
    pub(crate) fail: u32,
    pub(crate) partial: u32,
    pub(crate) skip: u32,
    pub(crate) other: u32,
}

/// A URL whose kind is unknown counts as an agent, unless its path is a usual one of MCP endpoints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Failed {
    pub(crate) agent: u32,
    pub(crate) mcp: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FailReason {
    pub(crate) code: String,
    pub(crate) reason: String,
    pub(crate) count: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FailSample {
    pub(crate) id: ListingId,
    /// While it is unknown, `mcp` for a usual path of MCP endpoints, else `agent`.
    pub(crate) kind: Kind,
    pub(crate) target: String,
    pub(crate) reason: String,
    pub(crate) probed_at: Moment,
}

/// Ten small reads at once.
pub(crate) async fn read_statistics(app: &App) -> Result<Statistics, StoreError> {
    let (store, now) = (&app.store, app.clock.now());
    let (budget, live, tally, week, tick, due, ok, partial, fail, skip) = futures::try_join!(
        store.budget(now),
        store.live(),
        store.tally(now),
        store.week(now),
        store.tick_report(),
        store.rechecks_due(now),
        store.latest_probes(Handshake::Ok, READ_PER_OUTCOME),
        store.latest_probes(Handshake::Partial, READ_PER_OUTCOME),
        store.latest_probes(Handshake::Fail, READ_PER_OUTCOME),
        store.latest_probes(Handshake::Skip, READ_PER_OUTCOME),
    )?;
    let mut probes: Vec<ProbeRecord> = [ok, partial, fail, skip].into_iter().flatten().collect();
    probes.sort_by_key(|probe| std::cmp::Reverse(probe.probed_at));
    let settings = &app.settings;
    let caps = Caps::of(settings);
    let left = |used: u32, cap: u32| cap.saturating_sub(used);
    let active = LiveActive { total: live.agents + live.mcps, mcp: live.mcps, agents: live.agents, at: now };
    let snapshot = match (live.counted, live.as_of) {
        (Some((agents, mcp)), Some(at)) => LiveActive { total: agents + mcp, mcp, agents, at },
        _ => active.clone(),
    };
    let next_tick_at = next_tick(now, settings.probe_tick_seconds);
    Ok(Statistics {
        used: budget.day.used,
        budget: caps.day,
        remaining: left(budget.day.used, caps.day),
        day_remaining: left(budget.day.used, caps.day),
        day: budget.day.name,
        hourly_used: budget.hour.used,
        hourly_cap: caps.hour,
        hourly_remaining: left(budget.hour.used, caps.hour),
        hour_bucket: budget.hour.name,
        by_kind_today: ByKind { agents: tally.agents, mcps: tally.mcps },
        real_active_only: true,
        wasted_probes_discarded: tally.rejects,
        last_tick_at: tick.last_tick_at,
        last_ok_tick_at: tick.last_ok_tick_at,
        last_handshake: probes.first().map(|probe| probe.handshake),
        next_tick_at,
        cadence_rule: cadence(settings, caps),
        live_active: active,
        live_active_snapshot: snapshot,
        clean_list_target: settings.clean_list_target,
        clean_listed_today: tally.risen,
        weekly_recheck: Recheck {
            interval_days: settings.recheck_days,
            unlimited: true,
            active_ok: live.agents + live.mcps,
            due_now: due.0,
            next_due_at: due.1.map(|at| at.max(now)),
            week: week.name,
            rechecked_this_week: week.rechecked,
            still_ok_this_week: week.still_ok,
            demoted_this_week: week.demoted,
            note: "In a week, a listing counts once as rechecked and once as passed, also if it is no longer \
                Live after that. A failing listing that is due is probed at the next full hour. If the \
                handshake passes but a blocking check fails, Live ends at once; if the handshake fails, also by an \
                invalid card, after failed rechecks in three different hours, and after timeouts, 5xx and similar \
                failures not before the last hour of its proof.",
        },
        probe_worker: worker(now, &tick, probes.first(), settings.probe_tick_seconds),
        policy: [
            "Only listings that answered a real handshake count as Live. `clean_listed_today` counts how often a \
             listing became Live; one that was restored or came back counts again.",
            "A short preflight check finds hosts that do not answer, and cards that cannot be fetched. Such a probe stops there and uses no \
             budget.",
            "Order of probes: listings never probed, Live listings due for the weekly recheck, retries, \
             listings with a partial or old result. Budget that is left renews the oldest proofs of Live \
             listings. A listing with a recent ok result is skipped.",
            "A failed handshake in a scheduled sweep (tick) never ends the Live state of a listing. Of the probes, only a \
             confirmed failure of the weekly recheck does, or a check that fails although the handshake is ok.",
        ]
        .map(str::to_owned)
        .to_vec(),
        window_used: budget.window.used,
        window_cap: caps.window,
        window_remaining: left(budget.window.used, caps.window),
        window_bucket: budget.window.name,
        outcomes: outcomes(tally, &probes, live.expired),
        recent: probes.into_iter().take(MAX_ROWS).map(with_safe_target).collect(),
    })
}

/// The path of a URL can be any text of a stranger.
fn with_safe_target(probe: ProbeRecord) -> ProbeRecord {
    ProbeRecord { target: injection::text_unless_injection(&probe.target).to_owned(), ..probe }
}

fn outcomes(tally: Tally, probes: &[ProbeRecord], never_live_deleted: u32) -> Outcomes {
    let [ok, partial, fail, skip] = tally.handshakes;
    let failed =
        probes.iter().filter(|probe| matches!(probe.handshake, Handshake::Fail | Handshake::Partial));
    let samples = failed.take(MAX_ROWS).map(|probe| FailSample {
        id: probe.id.clone(),
        kind: probe.kind,
        target: injection::text_unless_injection(&probe.target).to_owned(),
        reason: probe.reason.clone().unwrap_or_else(|| probe.handshake.as_str().to_owned()),
        probed_at: probe.probed_at,
    });
    Outcomes {
        unique_primaries: tally.unique,
        handshake: Shakes { ok, fail, partial, skip, other: 0 },
        fail_by_kind: Failed { agent: tally.failed_agents, mcp: tally.failed_mcps },
        fail_reasons: tally
            .reasons
            .into_iter()
            .map(|CountedReason { code, reason, count }| FailReason { code, reason, count })
            .collect(),
        fail_samples: samples.collect(),
        never_live_deleted,
        note: "The counts are the probes of this UTC day, also those that use no budget: hourly rechecks \
               and rejected preflights. A failed check is no failed handshake, but has a reason. The reasons leave out correct sign-ins. The samples are the latest probes with the outcome fail or partial.",
    }
}

fn worker(now: Moment, tick: &TickReport, last: Option<&ProbeRecord>, tick_seconds: u32) -> Worker {
    let tolerance = SignedDuration::from_secs(i64::from(tick_seconds) * 5 / 2);
    let status = match tick.last_tick_at {
        None => "starting",
        Some(last) if now.duration_since(last) <= tolerance => "running",
        Some(_) => "late",
    };
    Worker {
        status,
        last_tick_at: tick.last_tick_at,
        next_tick_at: next_tick(now, tick_seconds),
        last_probed: last.map(|probe| probe.id.clone()),
        last_result: last.map(|probe| probe.handshake),
        last_used: tick.last_used,
        ticks: tick.ticks,
        pid: None,
    }
}

pub(crate) fn next_tick(now: Moment, tick_seconds: u32) -> Moment {
    let tick = i64::from(tick_seconds);
    Moment::from_second((now.as_second() / tick + 1) * tick).unwrap_or(now)
}

fn cadence(settings: &Settings, caps: Caps) -> String {
    format!(
        "The time between two full sweeps is {}. A sweep probes a listing at most once; a listing that is \
         published again can be probed between two sweeps. Limits, without the weekly recheck: {} per \
         2-minute window, {} per hour, {} per day. Listings that are not Live or gated, without a proven name or \
         domain, get at most half of each. The default time between sweeps is 6 minutes.",
        settings.tick_in_words(),
        counted(caps.window, "probe"),
        caps.hour,
        caps.day
    )
}

#[derive(Debug, Serialize, JsonSchema)]
struct ProbeStatistics {
    ok: bool,
    #[serde(flatten)]
    statistics: Statistics,
}

pub static PROBE_STATISTICS: AnyDocument = AnyDocument {
    paths: &["/api/probes"],
    summary: "Probe statistics: budget, outcomes, and whether the schedules run.",
    max_age_s: Some(5),
    ..AnyDocument::of::<ProbeStatistics>(|app, _| {
        Box::pin(async { json(&ProbeStatistics { ok: true, statistics: read_statistics(app).await? }) })
    })
};
