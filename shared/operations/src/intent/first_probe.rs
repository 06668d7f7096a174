//! A short wait for the first probe of a new listing, so that an agent that says "list me" learns the result in the
//! same reply. The probe runs in another function; this only polls the table.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{CHECK_STATUS, LIST_YOURSELF, RawArguments};
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{Caller, ListingId, Moment};

/// The longest wait, and the interval between two reads.
const LONGEST: Duration = Duration::from_secs(3);
const EVERY: Duration = Duration::from_millis(100);

/// The status of a listing probed since `since`; `None` where no probe is due, or it takes too long.
///
/// # Errors
/// The table is busy.
pub(super) async fn outcome(
    app: &App,
    caller: &Caller,
    operation: &str,
    answer: &Value,
    since: Moment,
) -> Result<Option<Value>, Problem> {
    if operation != LIST_YOURSELF.name || answer["status"] != "queued" || answer.get("retry_at").is_some() {
        return Ok(None);
    }
    let Some(id) = answer["listing_id"].as_str().and_then(|id| id.parse::<ListingId>().ok()) else {
        return Ok(None);
    };
    let looks = LONGEST.as_millis() / EVERY.as_millis();
    for _ in 0..looks {
        tokio::time::sleep(EVERY).await;
        let listing = app.store.listing(&id).await?;
        if listing.and_then(|listing| listing.probe).is_some_and(|probe| probe.at >= since) {
            return status(app, caller, &id).await.map(Some);
        }
    }
    Ok(None)
}

async fn status(app: &App, caller: &Caller, id: &ListingId) -> Result<Value, Problem> {
    let arguments = json!({ "id": id });
    (CHECK_STATUS.run)(app.clone(), *caller, RawArguments::Json(arguments)).await
}
