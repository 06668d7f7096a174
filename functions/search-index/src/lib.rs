//! Keeps the search index: as soon as something goes Live or falls, and every minute for whatever no event told of.
//! What is to be done stands in the table, so an event that comes twice, late or never does no harm.

use registry::app::App;
use registry::store::StoreError;
use serde_json::Value;

/// Why a run broke off.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The table is busy; what is still marked is found by the next run.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The report could not be written.
    #[error(transparent)]
    Report(#[from] serde_json::Error),
}

/// Takes up every mark there is and reports what was done; what the event says makes no difference.
///
/// # Errors
/// The table is busy.
pub async fn handle(app: &App, _: Value) -> Result<Value, Failure> {
    Ok(serde_json::to_value(app.search.build().await?)?)
}
