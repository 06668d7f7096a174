//! Probes the listings that are due. The scheduled tick probes all of them, and a `listing.queued` event
//! probes one listing. Then the function adds the decisions to the evidence log. The tick also stores the
//! hourly sample of the economy. An event may be delivered twice. The second run does nothing, because the
//! first run has already claimed the time slot or the listing.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::OptionFuture;
use registry::app::App;
use registry::economy;
use registry::events::leave_in_queue;
use registry::log::{SequencerReport, sequence_if_due, sequence_or_warn};
use registry::metrics::{Metric, Metrics};
use registry::model::{ListingId, Moment};
use registry::probe::{SweepReport, run};
use registry::publish::{canary, self_listing};
use registry::store::StoreError;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[serde(tag = "detail-type")]
enum Event {
    /// Sent by the schedule.
    #[serde(rename = "probe-tick")]
    Tick {
        /// The scheduled time; an invalid time counts as absent.
        #[serde(default, deserialize_with = "time_or_none")]
        time: Option<Moment>,
    },
    /// Sent when a listing is published.
    #[serde(rename = "listing.queued")]
    Queued {
        detail: Queued,
        /// Of the queue between the bus and this function: the message, and how often it was received.
        #[serde(default)]
        message: Option<String>,
        #[serde(default)]
        received: Option<u32>,
    },
}

fn time_or_none<'de, D: Deserializer<'de>>(time: D) -> Result<Option<Moment>, D::Error> {
    Ok(Value::deserialize(time)?.as_str().and_then(|time| time.parse().ok()))
}

#[derive(Debug, Deserialize)]
struct Queued {
    listing_id: ListingId,
    /// When it was published.
    #[serde(default, deserialize_with = "time_or_none")]
    at: Option<Moment>,
}

#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    sweep: SweepReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<SequencerReport>,
    metrics: Metrics,
}

/// Why an event was not handled.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("unknown event")]
    Event(#[from] serde_json::Error),
    /// The table is busy; the event may be delivered again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Handles one event and returns its report.
pub async fn handle(app: &App, event: Value) -> Result<Value, Failure> {
    let report = match serde_json::from_value(event)? {
        Event::Tick { time } => {
            if app.settings.list_itself {
                self_listing::publish_self(app).await;
            }
            // It uses the registry's own listing.
            let has_canary = app.settings.canary && app.settings.list_itself;
            let canary = OptionFuture::from(has_canary.then(|| canary::works(app)));
            let (sweep, canary) = futures::join!(run::tick(app, time), canary);
            let sweep = sweep?;
            economy::take_sample(app).await;
            let log = sequence_or_warn(app).await;
            let mut metrics = metrics(app, &sweep, log).await?;
            metrics.0.extend(canary.map(|works| (Metric::CanaryFailures, i64::from(!works))));
            json!(Report { sweep, log, metrics })
        }
        Event::Queued { detail, message, received } => {
            let sweep = run::first_probe(app, &detail.listing_id).await?;
            // A probe without a verdict adds no leaf to the log.
            let has_verdict = sweep.probed + sweep.rejected > 0;
            let log = if has_verdict { sequence_if_due(app).await } else { None };
            let mut metrics = Metrics(sweep.metrics().into());
            if let Some(at) = detail.at.filter(|_| sweep.ok > 0) {
                let waited = app.clock.now().duration_since(at);
                metrics.0.insert(Metric::PublishToProof, waited.as_secs());
            }
            let was_released = sweep.released > 0;
            let mut report = json!(Report { sweep, log, metrics });
            // While the budget is used up, the event is handled so often. Then the tick probes the listing.
            if let Some(message) = message.filter(|_| was_released && received < Some(5)) {
                leave_in_queue(&mut report, &message);
            }
            report
        }
    };
    Ok(report)
}

/// The tick also reports how late the recheck, the log and the search index are: a stopped job cannot report it.
async fn metrics(
    app: &App,
    sweep: &SweepReport,
    log: Option<SequencerReport>,
) -> Result<Metrics, StoreError> {
    let overdue = app.store.oldest_overdue_recheck(app.clock.now()).await?;
    let pending = match log {
        Some(SequencerReport { left: false, .. }) => Duration::ZERO,
        _ => app.store.oldest_pending_leaf(app.clock.now()).await?,
    };
    let unindexed = app.store.oldest_dirty_mark(app.clock.now()).await?;
    let unreadable = app.store.unreadable_leaves().await?;
    let live = app.store.live().await?;
    // A flagged payment is reported for a day.
    let since = Moment::from_second(app.clock.now().as_second() - 86_400).unwrap_or(Moment::UNIX_EPOCH);
    let flagged = app.store.flagged_purchases(since).await?;
    let seconds = |time: Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    let values = [
        (Metric::ScheduledTicks, 1),
        (Metric::OldestOverdueRecheck, seconds(overdue)),
        (Metric::OldestPendingLeaf, seconds(pending)),
        (Metric::OldestUnindexedChange, seconds(unindexed)),
        (Metric::UnreadableLeaves, unreadable.into()),
        (Metric::LiveAgents, live.agents.into()),
        (Metric::LiveMcpServers, live.mcps.into()),
        (Metric::FlaggedPayments, i64::try_from(flagged.len()).unwrap_or(i64::MAX)),
    ];
    Ok(Metrics(values.into_iter().chain(sweep.metrics()).collect::<BTreeMap<_, _>>()))
}
