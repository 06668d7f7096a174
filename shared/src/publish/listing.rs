//! How a submission becomes a listing, for the first time or again. It fetches nothing: the first probe follows on the
//! `listing.queued` event, or with the next scheduled sweep should that event be lost.

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Serialize;

use super::submission::Submission;
use crate::app::App;
use crate::error::Problem;
use crate::events::{Event, What};
use crate::model::{FeedItem, Lane, Listing, ListingId, Moment};
use crate::store::Insertion;

/// What publishing came to.
#[derive(Clone, Debug)]
pub struct Published {
    /// The listing.
    pub listing: Listing,
    /// Whether it was taken up.
    pub status: PublishStatus,
    /// The earliest time of its next probe, where that is not now.
    pub retry_at: Option<Moment>,
}

/// Whether a submission was taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PublishStatus {
    /// It will be probed.
    Queued,
    /// It is Live already.
    Active,
    /// It was waiting already.
    Duplicate,
}

/// Publishes a submission under its own id, or beside another owner's listing that already holds it.
///
/// # Errors
/// 409 where it was withdrawn; or the table is busy.
pub async fn publish(app: &App, submission: &Submission) -> Result<Published, Problem> {
    let now = app.clock.now();
    let (id, beside) = submission.ids();
    let (id, known) = match (app.store.listing(&id).await?, beside) {
        (Some(other), Some(beside)) if !submission.is_same_as(&other) => {
            let known = app.store.listing(&beside).await?;
            (beside, known)
        }
        (known, _) => (id, known),
    };
    match known {
        Some(known) => publish_again(app, submission, known, now).await,
        None => publish_first(app, submission, id, now).await,
    }
}

/// Lists what is not known yet.
///
/// # Errors
/// The table is busy.
pub async fn publish_first(
    app: &App,
    submission: &Submission,
    id: ListingId,
    now: Moment,
) -> Result<Published, Problem> {
    let listing = submission.listing(id, now);
    let news = FeedItem {
        what: "listing_queued".to_owned(),
        at: now,
        listing_id: listing.id.clone(),
        kind: listing.kind,
        name: listing.name.clone(),
        text: format!("{} was published and waits for its first probe.", listing.name),
    };
    match app.store.insert(&listing, &submission.contact, &news).await? {
        Insertion::Done => {
            announce(app, &listing, now).await;
            Ok(Published { listing, status: PublishStatus::Queued, retry_at: None })
        }
        Insertion::AlreadyThere => {
            Ok(Published { listing, status: PublishStatus::Duplicate, retry_at: None })
        }
    }
}

/// Publishing again is how an owner asks for a probe after a fix. What is Live is left as it is: its words are
/// not anybody's to change who knows its URL.
async fn publish_again(
    app: &App,
    submission: &Submission,
    known: Listing,
    now: Moment,
) -> Result<Published, Problem> {
    match known.lane {
        Lane::Active if known.is_live(app.oldest_proof()) => {
            return Ok(Published { listing: known, status: PublishStatus::Active, retry_at: None });
        }
        // Its recheck is late: asking for it is how its owner has it Live again, and its words stand.
        Lane::Active => {
            announce(app, &known, now).await;
            return Ok(Published { listing: known, status: PublishStatus::Queued, retry_at: None });
        }
        Lane::Withdrawn => {
            return Err(Problem::new(
                http::StatusCode::CONFLICT,
                "withdrawn",
                "This listing was withdrawn by its owner, and only its owner can bring it back.",
            )
            .with("lane", known.lane.as_str()));
        }
        Lane::Queued | Lane::NeedsFix | Lane::Demoted => {}
    }
    let tick = SignedDuration::from_secs(app.settings.probe_tick_seconds.into());
    let earliest = known.probe.as_ref().map_or(now, |probe| probe.at + tick);
    let mut asked = known.clone();
    submission.describe(&mut asked);
    asked.due_at = now.max(earliest);
    let status = if known.lane == Lane::Queued { PublishStatus::Duplicate } else { PublishStatus::Queued };
    let retry_at = Some(earliest).filter(|earliest| *earliest > now);
    if app.store.republish(&known, &asked, &submission.contact, now).await? && retry_at.is_none() {
        announce(app, &asked, now).await;
    }
    Ok(Published { listing: asked, status, retry_at })
}

async fn announce(app: &App, listing: &Listing, at: Moment) {
    let event = Event { what: What::Queued, listing_id: listing.id.clone(), kind: listing.kind, at };
    app.bus.send(&event).await;
}
