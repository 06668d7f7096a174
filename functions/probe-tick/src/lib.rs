//! Probes what is due: everything on the schedule's tick, one listing on its `listing.queued` event. Either may
//! be delivered twice; the second finds the slot or the listing taken.

use registry::app::App;
use registry::model::{ListingId, Moment};
use registry::probe::run;
use registry::publish::self_listing;
use registry::store::StoreError;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// What may call this function.
#[derive(Debug, Deserialize)]
#[serde(tag = "detail-type")]
enum Event {
    /// The schedule.
    #[serde(rename = "probe-tick")]
    Tick {
        /// When it was meant to be sent; unusable text is no time.
        #[serde(default, deserialize_with = "time_or_none")]
        time: Option<Moment>,
    },
    /// A listing was published.
    #[serde(rename = "listing.queued")]
    Queued { detail: Queued },
}

fn time_or_none<'de, D: Deserializer<'de>>(time: D) -> Result<Option<Moment>, D::Error> {
    Ok(Value::deserialize(time)?.as_str().and_then(|time| time.parse().ok()))
}

#[derive(Debug, Deserialize)]
struct Queued {
    listing_id: ListingId,
}

/// Why an event was not served.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// It is none that this function knows.
    #[error("not an event of this function: {0}")]
    Event(#[from] serde_json::Error),
    /// The table is busy; the event may be delivered again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Serves one event and reports what was done.
///
/// # Errors
/// The event is unknown, or the table is busy.
pub async fn handle(app: &App, event: Value) -> Result<Value, Failure> {
    let report = match serde_json::from_value(event)? {
        Event::Tick { time } => {
            if app.settings.list_itself {
                self_listing::list(app).await;
            }
            run::tick(app, time).await?
        }
        Event::Queued { detail } => run::first_probe(app, &detail.listing_id).await?,
    };
    Ok(serde_json::to_value(report)?)
}
