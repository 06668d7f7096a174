//! Writes to the connector of the day, sends the day's invitations, reads the entries of other registries, imports lists and
//! writes the day's dump.
//! The job runs every hour and does what is still missing for the day. So if a run fails, the next run does
//! the rest. A new Live listing is invited on the same day.

use registry::app::App;
use registry::federation;
use registry::federation::dump::{self, DumpLimits};
use registry::federation::imports;
use registry::outreach;
use registry::store::StoreError;
use serde_json::{Value, json};

/// Does what is left of the day, whatever the event contains. A step that fails does not stop the others.
///
/// # Errors
/// The table is busy; the next run does what is left.
pub async fn handle(app: &App, _: Value) -> Result<Value, StoreError> {
    let outreach = outreach::run(app).await;
    let peers = federation::pull_due(app).await;
    let imports = imports::run(app).await;
    let dump = dump::run(app, &DumpLimits::default()).await;
    let mut report = json!(outreach?);
    report["peers_asked"] = peers?.into();
    report["imported"] = json!(imports?);
    report["dump"] = json!(dump?);
    Ok(report)
}
