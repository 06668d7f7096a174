//! Writes to the connector of the day and sends the day's soft invitations. Runs hourly over what the day has left, so
//! that a failed run loses no day and what goes Live in the morning is invited before the next one.

use registry::app::App;
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
    Ok(serde_json::to_value(outreach::run(app).await?)?)
}
