//! Sends the messages of subscriptions once a minute. What is due is in the table, so a run that is late, repeated or lost does
//! no harm.

use registry::app::App;
use registry::store::StoreError;
use registry::subscriptions;
use serde_json::{Value, json};

/// Sends what is due, whatever the event contains.
///
/// # Errors
/// The table is busy; the next run sends what is left.
pub async fn handle(app: &App, _: Value) -> Result<Value, StoreError> {
    Ok(json!(subscriptions::tell(app).await?))
}
