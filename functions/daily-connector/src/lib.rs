//! Writes to the connector of the day, sends the day's soft invitations and asks other registries what they list. Runs
//! hourly over what the day has left, so that a failed run loses no day and what goes Live is invited before the next.

use registry::app::App;
use registry::federation;
use registry::outreach;
use registry::store::StoreError;
use serde_json::Value;

/// Why a run broke off.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The table is busy; what is still to be sent is found by the next run.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The report could not be written.
    #[error(transparent)]
    Report(#[from] serde_json::Error),
}

/// Does what the day has left and reports what was done; what the event says makes no difference.
///
/// # Errors
/// The table is busy.
pub async fn handle(app: &App, _: Value) -> Result<Value, Failure> {
    let mut report = serde_json::to_value(outreach::run(app).await?)?;
    report["peers_asked"] = federation::pull_due(app).await?.into();
    Ok(report)
}
