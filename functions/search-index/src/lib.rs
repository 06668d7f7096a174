//! Updates the search index once a minute, and when a listing goes Live or stops being Live. The pending changes are
//! stored in the table. So the index becomes correct even if an event arrives twice, late or never.

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
