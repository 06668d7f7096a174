//! The scheduled probes. The tick probes all due listings and renews old proofs, a new listing gets its first probe,
//! and the weekly recheck probes Live listings that the tick did not reach or that failed. The public functions
//! return boxed futures. Otherwise each crate that awaits these functions would compile all of their code again.

use std::time::{Duration, Instant};

use futures::future::BoxFuture;

use super::due_queue::DueQueue;
use super::overdue;
use super::sweep::{Limits, SweepReport, sweep};
use super::transition::{Job, renewable_until};
use registry_app::App;
use registry_model::error::chain;
use registry_model::{HashPrefix, ListingId, Moment};
use registry_store::{BudgetState, Caps, DueClass, SLOTS_PER_HOST, StoreError};

/// A tick takes no new listing after this, so that its function has time for the counts and the log.
const TICK_DURATION: Duration = Duration::from_secs(30);
/// A recheck takes no new listing after this; its function may run for fifteen minutes.
const RECHECK_DURATION: Duration = Duration::from_secs(10 * 60);

/// The part of each bucket of the budget that renewals leave to new listings: an eighth.
const RESERVED: u32 = 8;

/// The number of listings that one run can probe in its time: 64 at once, with about six seconds for each on average.
const LISTINGS_PER_RUN: u32 = 6_000;
/// Each part needs at least one slot at a host.
const MAX_PARTS: usize = SLOTS_PER_HOST;
/// A higher count does not lead to more parts.
const MAX_COUNTED: u32 = LISTINGS_PER_RUN * MAX_PARTS as u32;

/// One tick: a sweep over all due listings, in the order of `specification.md#probe-selection`, and then one over the
/// oldest proofs of Live listings, if budget and time are left. If the same tick is delivered a second time, its slot is
/// already taken and nothing is done. `scheduled` is the time in the schedule.
pub fn tick(app: &App, scheduled: Option<Moment>) -> BoxFuture<'_, Result<SweepReport, StoreError>> {
    Box::pin(async move {
        let now = app.clock.now();
        let slot = slot(now, scheduled, app.settings.probe_tick_seconds);
        if !app.store.take_slot("probe-tick", slot, now).await? {
            return Ok(SweepReport::default());
        }
        let budget = app.store.budget(now).await?;
        let began = Instant::now();
        let caps = Caps::of(&app.settings);
        let limits = Limits {
            probes: budget.left(caps, false).min(app.settings.probes_per_tick),
            skips_unproven: budget.left(caps, true) == 0,
            ..one_probe(caps)
        };
        let mut report = sweep(app, DueQueue::of(&DueClass::OF_A_TICK, now), Job::Tick, &limits).await?;
        let limits = Limits {
            probes: renewals(&budget, caps, app.settings.probes_per_tick, report.probed),
            taking: TICK_DURATION.saturating_sub(began.elapsed()),
            ..one_probe(for_renewals(caps))
        };
        if limits.probes > 0 {
            let queue = DueQueue::of(&[DueClass::WeeklyDue], renewable_until(now, &app.settings));
            report.add_renewals(sweep(app, queue, Job::Renewal, &limits).await?);
        }
        if let Err(error) = overdue::count_if_late(app).await {
            tracing::warn!(
                error = chain(&error),
                "failed to count overdue listings; the next tick counts them"
            );
        }
        app.store.note_tick(report.ok > 0, report.probed, app.clock.now()).await?;
        Ok(report)
    })
}

const fn one_probe(caps: Caps) -> Limits {
    Limits { probes: 1, caps, skips_unproven: false, taking: TICK_DURATION }
}

fn for_renewals(caps: Caps) -> Caps {
    let part = |cap: u32| cap - cap / RESERVED;
    Caps { window: part(caps.window), hour: part(caps.hour), day: part(caps.day) }
}

/// How many proofs a tick may renew after it has done `probed` due probes, with the budget as it was before them.
fn renewals(budget: &BudgetState, caps: Caps, per_tick: u32, probed: u32) -> u32 {
    budget.left(for_renewals(caps), false).min(per_tick).saturating_sub(probed)
}

/// The slot of the scheduled time. The scheduled time is used so that small delays do not skip a slot or take a slot
/// twice. A scheduled time that is more than one tick away is ignored.
fn slot(now: Moment, scheduled: Option<Moment>, tick_seconds: u32) -> i64 {
    let tick = i64::from(tick_seconds);
    let is_near = |at: &Moment| now.duration_since(*at).as_secs().abs() <= tick;
    scheduled.filter(is_near).unwrap_or(now).as_second() / tick
}

/// The probe of a listing that was just published, or whose owner asked for a probe, under the same caps as the tick. A
/// Live listing with a fresh proof is not probed, unless it is due.
pub fn first_probe<'a>(app: &'a App, id: &'a ListingId) -> BoxFuture<'a, Result<SweepReport, StoreError>> {
    Box::pin(async move {
        let queue = DueQueue::of_one(id, app.clock.now());
        sweep(app, queue, Job::Tick, &one_probe(Caps::of(&app.settings))).await
    })
}

/// Splits the weekly recheck if more is due than one run can probe: sends an event for each part except the first,
/// which the caller runs. The listings of a lost event are still due in the next run.
pub fn share_recheck(app: &App) -> BoxFuture<'_, Result<HashPrefix, StoreError>> {
    Box::pin(async move {
        let now = app.clock.now();
        let counts = DueClass::OF_A_RECHECK.map(|class| app.store.due_count(class, now, MAX_COUNTED));
        let due = futures::future::try_join_all(counts).await?.into_iter().sum();
        let mut parts = recheck_parts(due).into_iter();
        let first = parts.next().unwrap_or_default();
        for part in parts {
            app.bus.send_part(part, now).await;
        }
        Ok(first)
    })
}

/// The weekly recheck of what is due now and belongs to `part`; it does not use the budget (`specification.md#weekly-recheck`).
pub fn recheck(app: &App, part: HashPrefix) -> BoxFuture<'_, Result<SweepReport, StoreError>> {
    Box::pin(async move {
        let queue = DueQueue::of(&DueClass::OF_A_RECHECK, app.clock.now());
        let mut queue = queue.only(part, slots_per_host(part));
        queue.alternates = true;
        let limits =
            Limits { probes: u32::MAX, taking: RECHECK_DURATION, ..one_probe(Caps::of(&app.settings)) };
        let report = sweep(app, queue, Job::Recheck, &limits).await?;
        if let Err(error) = overdue::count_hourly(app).await {
            tracing::warn!(
                error = chain(&error),
                "failed to count overdue listings; the next tick counts them"
            );
        }
        Ok(report)
    })
}

fn recheck_parts(due: u32) -> Vec<HashPrefix> {
    let mut parts = vec![HashPrefix::default()];
    while parts.len() < MAX_PARTS && due as usize > parts.len() * LISTINGS_PER_RUN as usize {
        parts = parts.into_iter().filter_map(HashPrefix::halves).flatten().collect();
    }
    parts
}

/// The slots of a part at one host: its share of all slots.
fn slots_per_host(part: HashPrefix) -> usize {
    (SLOTS_PER_HOST >> part.length().min(31)).max(1)
}

#[cfg(test)]
mod tests;
