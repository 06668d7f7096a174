//! Waits a short time for the first probe of a new listing, so that the reply to "list me" contains its result. The probe
//! runs in another function; this only polls the table.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{CHECK_STATUS, LIST_YOURSELF, RawArguments};
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{Caller, ListingId, Moment};

const MAX_WAIT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The status of a listing that was probed after `since`; `None` if no probe is due, or if it takes too long.
pub(super) async fn status_after_probe(
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
    for _ in 0..MAX_WAIT.as_millis() / POLL_INTERVAL.as_millis() {
        tokio::time::sleep(POLL_INTERVAL).await;
        let listing = app.store.listing(&id).await?;
        if listing.and_then(|listing| listing.probe).is_some_and(|probe| probe.at >= since) {
            let arguments = RawArguments::Json(json!({ "id": id }));
            return (CHECK_STATUS.run)(app.clone(), *caller, arguments).await.map(Some);
        }
    }
    Ok(None)
}
