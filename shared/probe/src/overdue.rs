//! Counts the Live listings whose proof has expired. It runs once an hour, so that counts and searches do not
//! include these listings. The registry promises its readers a proof "within seven days", and this must be
//! true even if the recheck is late.

use std::time::{Duration, Instant};

use jiff::SignedDuration;

use super::record::feed_item;
use registry_app::App;
use registry_model::{FeedItem, Lane, Listing, Moment};
use registry_store::{DueClass, OverdueCount, StoreError};

/// If the last count is this old, the hourly recheck has stopped, and the tick counts instead.
const STALLED_AFTER: SignedDuration = SignedDuration::from_mins(70);
/// If a count takes longer, it is stopped and the previous count stays, because the functions that count have other
/// work.
const MAX_COUNT_TIME: Duration = Duration::from_secs(15);
/// A failed recheck is repeated at the end of the week or within an hour after it, so no Active listing whose proof has
/// expired is due later than this from now.
const CONFIRMED_WITHIN: SignedDuration = SignedDuration::from_hours(2);

pub(super) async fn count(app: &App) -> Result<(), StoreError> {
    let now = app.clock.now();
    if app.store.take_slot("overdue", now.as_second() / 3600, now).await? {
        let before = app.store.overdue_count().await?;
        count_since(app, before, now).await?;
    }
    Ok(())
}

pub(super) async fn count_if_late(app: &App) -> Result<(), StoreError> {
    let now = app.clock.now();
    let before = app.store.overdue_count().await?;
    if before.at.is_none_or(|at| now.duration_since(at) >= STALLED_AFTER) {
        count_since(app, before, now).await?;
    }
    Ok(())
}

async fn count_since(app: &App, before: OverdueCount, now: Moment) -> Result<(), StoreError> {
    let began = Instant::now();
    let oldest_proof = app.oldest_proof();
    // Proofs that expired before the last count are already in the feed.
    let counted_until = before.at.map(|at| at - app.settings.recheck_interval());
    let is_new = |listing: &Listing| {
        counted_until.is_none_or(|counted_until| listing.last_ok_at.is_none_or(|ok| ok >= counted_until))
    };
    let mut after = OverdueCount::default();
    for (class, due) in [(DueClass::WeeklyDue, now), (DueClass::Confirming, now + CONFIRMED_WITHIN)] {
        let mut from = None;
        loop {
            let (listings, next) = app.store.due(class, due, from).await?;
            // Also listings that this run has probed without success: the index may still have them in another class.
            let is_overdue =
                |listing: &Listing| listing.lane == Lane::Active && !listing.is_live(oldest_proof);
            let overdue: Vec<Listing> = listings.into_iter().filter(is_overdue).collect();
            overdue.iter().for_each(|listing| after.add(listing.shown_kind()));
            let news: Vec<FeedItem> =
                overdue.iter().filter(|listing| is_new(listing)).map(|listing| news(listing, now)).collect();
            app.store.record_overdue(&news).await?;
            if began.elapsed() > MAX_COUNT_TIME {
                tracing::warn!(
                    agents = after.agents,
                    mcps = after.mcps,
                    "too many overdue listings to count in time"
                );
                return Ok(());
            }
            from = next;
            if from.is_none() {
                break;
            }
        }
    }
    app.store.keep_overdue_count(before, after, now).await
}

fn news(listing: &Listing, now: Moment) -> FeedItem {
    let name = &listing.name;
    let text = format!(
        "The last proof of {name} has expired, and the recheck is late. The listing is not Live until it \
         answers a probe again."
    );
    feed_item(listing, "listing_overdue", text, now)
}
