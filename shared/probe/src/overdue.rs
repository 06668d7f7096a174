//! Counts the Live listings whose proof has expired, and records them and the gated ones. It runs once an hour, so that counts
//! and searches do not include these listings, even if the recheck is late.

use std::time::{Duration, Instant};

use jiff::SignedDuration;

use registry_app::App;
use registry_model::{FeedItem, Lane, Listing, Moment};
use registry_store::{DueClass, OverdueCount, StoreError, UnfinishedCount};

/// If the last count is this old, the hourly recheck has stopped, and the tick counts instead.
const STALLED_AFTER: SignedDuration = SignedDuration::from_mins(70);
/// If a count takes longer, the next run continues it, because the functions that count have other work.
const MAX_COUNT_TIME: Duration = Duration::from_secs(15);
/// A failed recheck is repeated at the end of the week or within an hour after it, so no Active listing whose proof has
/// expired is due later than this from now.
const CONFIRMED_WITHIN: SignedDuration = SignedDuration::from_hours(2);

pub(super) async fn count_hourly(app: &App) -> Result<(), StoreError> {
    let now = app.clock.now();
    if app.store.take_slot("overdue", now.as_second() / 3600, now).await? {
        let (before, unfinished) = app.store.overdue_count().await?;
        continue_count(app, before, unfinished.unwrap_or_else(|| UnfinishedCount::begin(now))).await?;
    }
    Ok(())
}

pub(super) async fn count_if_late(app: &App) -> Result<(), StoreError> {
    let now = app.clock.now();
    let (before, unfinished) = app.store.overdue_count().await?;
    let is_late = before.at.is_none_or(|at| now.duration_since(at) >= STALLED_AFTER);
    let begun = unfinished.or_else(|| is_late.then(|| UnfinishedCount::begin(now)));
    if let Some(unfinished) = begun {
        continue_count(app, before, unfinished).await?;
    }
    Ok(())
}

/// Counts page by page and keeps how far it has come, so that a run that is stopped does not begin again.
async fn continue_count(
    app: &App,
    before: OverdueCount,
    mut count: UnfinishedCount,
) -> Result<(), StoreError> {
    let (began, now, oldest_proof) = (Instant::now(), app.clock.now(), app.oldest_proof());
    loop {
        let due = match count.class {
            DueClass::Confirming => count.began + CONFIRMED_WITHIN,
            _ => count.began,
        };
        let (listings, next) = app.store.due(count.class, due, count.from.take()).await?;
        // Also listings that this run has probed without success: the index may still have them in another class.
        let is_overdue =
            |listing: &Listing| listing.lane.is_proven() && !listing.public_lane(oldest_proof).is_proven();
        let overdue: Vec<Listing> = listings.into_iter().filter(is_overdue).collect();
        let were_live = overdue.iter().filter(|listing| listing.lane == Lane::Active);
        were_live.for_each(|listing| count.counted.add(listing.likely_kind()));
        // The last count can have missed a listing that a probe had claimed. Those recorded already are left out.
        let news: Vec<FeedItem> = overdue.iter().map(|listing| news(listing, now)).collect();
        app.store.record_overdue(&news).await?;
        count.from = next;
        if count.from.is_none() {
            let Some(class) = UnfinishedCount::after(count.class) else {
                return app.store.keep_overdue_count(before, count.counted, count.began).await;
            };
            count.class = class;
            continue;
        }
        app.store.keep_unfinished_count(&count).await?;
        if began.elapsed() > MAX_COUNT_TIME {
            let counted = count.counted;
            tracing::warn!(?counted, "too many overdue listings to count in time; the next run continues");
            return Ok(());
        }
    }
}

fn news(listing: &Listing, now: Moment) -> FeedItem {
    let name = &listing.texts.name;
    let text = format!(
        "The last proof of {name} has expired. It is neither Live nor gated until it passes a probe again."
    );
    FeedItem::of_listing(listing, "listing_overdue", text, now)
}
