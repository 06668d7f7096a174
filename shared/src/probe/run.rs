//! The scheduled probing: the tick over everything that is due, the first probe of what was just published, the weekly
//! recheck. What others wait for is boxed: else all of it would be compiled once more in each crate that does.

use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use serde::Serialize;

use super::batch::{AT_ONCE, ProbeOutcome, caps, probe_batch};
use super::overdue;
use super::transition::Job;
use crate::app::App;
use crate::model::{Handshake, ListingId};
use crate::store::{DueClass, StoreError};

/// A sweep takes no new batch after this; its function may run for a minute.
const SWEEP: Duration = Duration::from_secs(30);
/// A recheck takes no new batch after this; its function may run for fifteen minutes.
const RECHECK: Duration = Duration::from_secs(10 * 60);

/// What a sweep did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SweepReport {
    /// Listings claimed.
    pub claimed: u32,
    /// Of these, ended at the preflight, without budget.
    pub rejected: u32,
    /// Full probes.
    pub probed: u32,
    /// Handshakes that were `ok`.
    pub ok: u32,
    /// Given back because the budget was used up, or their host was too slow for all that is listed there.
    pub released: u32,
    /// Left to their lease because the table was busy.
    pub unrecorded: u32,
    /// The listing recorded last, and its outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<(String, String)>,
}

impl SweepReport {
    fn count(&mut self, done: &ProbeOutcome) {
        match done {
            ProbeOutcome::NotClaimed => return,
            ProbeOutcome::Released => self.released += 1,
            ProbeOutcome::Unrecorded => self.unrecorded += 1,
            ProbeOutcome::Rejected(id, outcome) => {
                self.rejected += 1;
                self.last = Some((id.to_string(), outcome.as_str().to_owned()));
            }
            ProbeOutcome::Probed(id, outcome) => {
                self.probed += 1;
                self.ok += u32::from(*outcome == Handshake::Ok);
                self.last = Some((id.to_string(), outcome.as_str().to_owned()));
            }
        }
        self.claimed += 1;
    }
}

/// One tick: a full sweep over what is due in the contract's order of classes. A second delivery of the same
/// tick finds its slot taken and does nothing.
///
/// # Errors
/// The table is busy.
pub fn tick(app: &App) -> BoxFuture<'_, Result<SweepReport, StoreError>> {
    Box::pin(async move {
        let now = app.clock.now();
        let slot = now.as_second() / i64::from(app.settings.probe_tick_seconds);
        if !app.store.take_slot("probe-tick", slot, now).await? {
            return Ok(SweepReport::default());
        }
        let began = Instant::now();
        let mut report = SweepReport::default();
        let left = app.store.budget(now).await?.left(caps(app)).min(app.settings.probes_per_tick);
        let mut seen = 0;
        while report.probed < left && began.elapsed() < SWEEP {
            let room = left - report.probed;
            let batch = due(app, &DueClass::OF_A_TICK, room.min(AT_ONCE as u32)).await?;
            if batch.is_empty() {
                break;
            }
            let before = seen;
            for done in probe_batch(app, batch, Job::Tick).await {
                report.count(&done);
            }
            seen = report.claimed;
            if seen == before || report.released > 0 {
                break;
            }
        }
        if let Err(error) = overdue::count_if_late(app).await {
            tracing::warn!(%error, "overdue listings were not counted; the next tick counts them");
        }
        let last = report.last.as_ref().map(|(id, outcome)| (id.as_str(), outcome.as_str()));
        app.store.note_tick(last, report.ok > 0, report.probed, app.clock.now()).await?;
        Ok(report)
    })
}

/// The first probe of a listing that was just published, under the same caps as the tick.
///
/// # Errors
/// The table is busy.
pub fn first_probe<'a>(app: &'a App, id: &'a ListingId) -> BoxFuture<'a, Result<SweepReport, StoreError>> {
    Box::pin(async move {
        let mut report = SweepReport::default();
        for done in probe_batch(app, vec![id.clone()], Job::Tick).await {
            report.count(&done);
        }
        Ok(report)
    })
}

/// The weekly recheck over what is due now; unlimited by the budget, as the contract wants it.
///
/// # Errors
/// The table is busy.
pub fn recheck(app: &App) -> BoxFuture<'_, Result<SweepReport, StoreError>> {
    Box::pin(async move {
        let began = Instant::now();
        let mut report = SweepReport::default();
        while began.elapsed() < RECHECK {
            let batch = due(app, &DueClass::OF_A_RECHECK, AT_ONCE as u32).await?;
            if batch.is_empty() {
                break;
            }
            let before = report.claimed;
            for done in probe_batch(app, batch, Job::Recheck).await {
                report.count(&done);
            }
            if report.claimed == before {
                break;
            }
        }
        if let Err(error) = overdue::count(app).await {
            tracing::warn!(%error, "overdue listings were not counted; the next tick counts them");
        }
        Ok(report)
    })
}

/// What is due, class by class.
async fn due(app: &App, classes: &[DueClass], limit: u32) -> Result<Vec<ListingId>, StoreError> {
    let mut batch = Vec::new();
    for class in classes {
        let room = limit.saturating_sub(u32::try_from(batch.len()).unwrap_or(limit));
        if room == 0 {
            break;
        }
        batch.extend(app.store.due(*class, app.clock.now(), room).await?);
    }
    Ok(batch)
}
