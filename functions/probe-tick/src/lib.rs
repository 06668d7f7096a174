//! Probes what is due: everything on the schedule's tick, one listing on its `listing.queued` event; then takes
//! what was decided up into the log of evidence, and on the tick the sample of the hour. Either may be delivered twice;
//! the second finds the slot or the listing taken.

use std::collections::BTreeMap;
use std::time::Duration;

use registry::app::App;
use registry::economy;
use registry::evidence_log::{SequencerReport, sequence_in_turn, sequence_or_warn};
use registry::metrics::{Metric, Metrics};
use registry::model::{ListingId, Moment};
use registry::probe::{SweepReport, run};
use registry::publish::self_listing;
use registry::store::StoreError;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// What may call this function.
#[derive(Debug, Deserialize)]
#[serde(tag = "detail-type")]
enum Event {
    /// The schedule.
    #[serde(rename = "probe-tick")]
    Tick {
        /// When it was meant to be sent; unusable text is no time.
        #[serde(default, deserialize_with = "time_or_none")]
        time: Option<Moment>,
    },
    /// A listing was published.
    #[serde(rename = "listing.queued")]
    Queued { detail: Queued },
}

fn time_or_none<'de, D: Deserializer<'de>>(time: D) -> Result<Option<Moment>, D::Error> {
    Ok(Value::deserialize(time)?.as_str().and_then(|time| time.parse().ok()))
}

#[derive(Debug, Deserialize)]
struct Queued {
    listing_id: ListingId,
}

/// What was done, and what the alarms are told of it.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    sweep: SweepReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<SequencerReport>,
    metrics: Metrics,
}

/// Why an event was not served.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// It is none that this function knows.
    #[error("not an event of this function: {0}")]
    Event(#[from] serde_json::Error),
    /// The table is busy; the event may be delivered again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Serves one event and reports what was done.
///
/// # Errors
/// The event is unknown, or the table is busy.
pub async fn handle(app: &App, event: Value) -> Result<Value, Failure> {
    let report = match serde_json::from_value(event)? {
        Event::Tick { time } => {
            if app.settings.list_itself {
                self_listing::list(app).await;
            }
            let sweep = run::tick(app, time).await?;
            economy::take_sample(app).await;
            let log = sequence_or_warn(app).await;
            let metrics = metrics(app, &sweep, log).await?;
            Report { sweep, log, metrics }
        }
        Event::Queued { detail } => {
            let sweep = run::first_probe(app, &detail.listing_id).await?;
            // Without a verdict there is no leaf.
            let log = if sweep.last.is_some() { sequence_in_turn(app).await } else { None };
            let metrics = Metrics(sweep.metrics().into());
            Report { sweep, log, metrics }
        }
    };
    Ok(serde_json::to_value(report)?)
}

/// How far the schedules are behind is told by the tick, which comes oftenest: an hourly recheck that stands still could
/// not tell it.
async fn metrics(
    app: &App,
    sweep: &SweepReport,
    log: Option<SequencerReport>,
) -> Result<Metrics, StoreError> {
    let waited = app.store.oldest_overdue_recheck(app.clock.now()).await?;
    let pending = match log {
        Some(SequencerReport { left: false, .. }) => Duration::ZERO,
        _ => app.store.oldest_pending_leaf(app.clock.now()).await?,
    };
    let live = app.store.live().await?;
    let seconds = |waited: Duration| i64::try_from(waited.as_secs()).unwrap_or(i64::MAX);
    let now = [
        (Metric::ScheduledTicks, 1),
        (Metric::OldestOverdueRecheck, seconds(waited)),
        (Metric::OldestPendingLeaf, seconds(pending)),
        (Metric::LiveAgents, live.agents.into()),
        (Metric::LiveMcpServers, live.mcps.into()),
    ];
    Ok(Metrics(now.into_iter().chain(sweep.metrics()).collect::<BTreeMap<_, _>>()))
}
