//! Asks every Live listing again within its week, and demotes what failed at three different hours. Runs hourly
//! over what is due, so that the week's load is spread.

use registry::app::App;
use registry::probe::run;
use registry::store::StoreError;
use serde_json::Value;

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
    Ok(serde_json::to_value(run::recheck(app).await?)?)
}
