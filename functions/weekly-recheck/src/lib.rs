//! Asks every Live listing again within its week, and demotes what failed at three different hours. Runs hourly over what
//! is due, in parts where that is much, and takes what was decided up into the log of evidence.

use registry::app::App;
use registry::events::RECHECK_PART;
use registry::evidence_log::{SequencerReport, sequence_or_warn};
use registry::metrics::Metrics;
use registry::model::{HashPrefix, InvalidHashPrefix};
use registry::probe::SweepReport;
use registry::probe::run;
use registry::store::StoreError;
use serde::Serialize;
use serde_json::Value;

/// What was done, and what the dashboard is told of it.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    sweep: SweepReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<SequencerReport>,
    metrics: Metrics,
}

/// Why a run broke off.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The table is busy; what is still due is found by the next run.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The event is a part of a recheck, and does not say which.
    #[error("not a part of a recheck: {0}")]
    Part(#[from] InvalidHashPrefix),
    /// The report could not be written.
    #[error(transparent)]
    Report(#[from] serde_json::Error),
}

/// Rechecks what is due and reports what was done: a part, where the event is one; else all of it, in parts where it is
/// much.
///
/// # Errors
/// The table is busy, or the part is none.
pub async fn handle(app: &App, event: Value) -> Result<Value, Failure> {
    let part = if event["detail-type"] == RECHECK_PART {
        event["detail"]["part"].as_str().unwrap_or_default().parse::<HashPrefix>()?
    } else {
        run::share_recheck(app).await?
    };
    let sweep = run::recheck(app, part).await?;
    let metrics = Metrics(sweep.metrics().into());
    Ok(serde_json::to_value(Report { sweep, log: sequence_or_warn(app).await, metrics })?)
}
