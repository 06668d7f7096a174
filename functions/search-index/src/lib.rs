//! Updates the search index: on every event about a listing that goes Live or stops being Live, and every minute. The
//! pending changes are in the table, so an event that arrives twice, late or never does no harm.

use registry::app::App;
use registry::store::StoreError;
use serde_json::{Value, json};

/// Applies all pending changes, whatever the event contains.
///
/// # Errors
/// The table is busy; the next run finds the changes that are left.
pub async fn handle(app: &App, _: Value) -> Result<Value, StoreError> {
    Ok(json!(app.search.build().await?))
}
