//! Probes every Live listing again once a week, and demotes listings that failed in three different hours.
//! The job runs every hour and takes the listings that are due. If many listings are due, it runs in several
//! parts. It adds the decisions to the evidence log.

use registry::app::App;
use registry::events::RECHECK_PART;
use registry::log::sequence_or_warn;
use registry::metrics::Metrics;
use registry::model::{HashPrefix, InvalidHashPrefix};
use registry::probe::run;
use registry::store::StoreError;
use serde_json::{Value, json};

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The table is busy; the next run finds what is still due.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The event names no valid part.
    #[error("the recheck received an invalid event")]
    Part(#[from] InvalidHashPrefix),
}

/// Rechecks the part that the event names. The hourly event names none: it splits the due listings into parts, sends an
/// event for each other part and rechecks one itself.
pub async fn handle(app: &App, event: Value) -> Result<Value, Failure> {
    let part = if event["detail-type"] == RECHECK_PART {
        event["detail"]["part"].as_str().unwrap_or_default().parse::<HashPrefix>()?
    } else {
        run::share_recheck(app).await?
    };
    let sweep = run::recheck(app, part).await?;
    let mut report = json!(sweep);
    report["metrics"] = json!(Metrics(sweep.metrics().into()));
    if let Some(log) = sequence_or_warn(app).await {
        report["log"] = json!(log);
    }
    Ok(report)
}
