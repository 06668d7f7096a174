//! Asks every Live listing again within its week, and demotes what failed at three different hours. Runs hourly
//! over what is due, so that the week's load is spread, and takes what was decided up into the log of evidence.

use registry::app::App;
use registry::evidence_log::{SequencerReport, sequence_or_warn};
use registry::metrics::Metrics;
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
    /// The report could not be written.
    #[error(transparent)]
    Report(#[from] serde_json::Error),
}

/// Rechecks what is due and reports what was done; what the event says makes no difference.
///
/// # Errors
/// The table is busy.
pub async fn handle(app: &App, _: Value) -> Result<Value, Failure> {
    let sweep = run::recheck(app).await?;
    let metrics = Metrics(sweep.metrics().into());
    Ok(serde_json::to_value(Report { sweep, log: sequence_or_warn(app).await, metrics })?)
}
