//! What changed about the listings of the registry, in one order for all followers and without gaps.

use std::sync::Arc;
use std::time::Duration;

use crate::prelude::*;
use registry_model::Change;
use registry_store::Changes;

/// Transactions per run. The next run numbers the rest.
const MAX_RUNS: u32 = 120;
/// The time between two transactions. All of them use the same partitions, which other requests need, too.
const PAUSE: Duration = Duration::from_millis(250);
/// Changes among which those of a listing or a kind are found.
const LATEST: u32 = 1000;

/// Gives queued changes their numbers. A failure is logged, and the next run repeats the work.
pub async fn number_or_warn(app: &App) {
    for _ in 0..MAX_RUNS {
        match app.store.number_changes(app.clock.now()).await {
            Ok(true) => tokio::time::sleep(PAUSE).await,
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(error = chain(&error), "could not number changes; the next run retries");
                return;
            }
        }
    }
}

/// The latest changes, among which a filter finds its own, and the number of the last. Read again after one was added.
pub async fn latest(app: &App) -> Result<(Arc<Vec<Change>>, u64), Problem> {
    let (now, last) = (app.clock.now().as_millisecond(), app.store.last_change().await?);
    let is_current = |found: &Arc<Vec<Change>>| found.last().is_some_and(|change| change.cursor == last);
    if let Some(found) = app.latest_changes.get(now, 60_000).filter(is_current) {
        return Ok((found, last));
    }
    let found = after(app, None, LATEST).await?;
    Ok((app.latest_changes.put(now, found.changes), found.last))
}

/// The changes after the number `since`, the oldest first; without it, the latest.
///
/// # Errors
/// 404 where the next change is no longer stored, and where `since` is greater than any number.
pub async fn after(app: &App, since: Option<u64>, limit: u32) -> Result<Changes, Problem> {
    let now = app.clock.now();
    let Some(since) = since else {
        let since = app.store.last_change().await?.saturating_sub(limit.into());
        let found = app.store.changes(since, limit, now).await?;
        // Of the latest, the first may be too old.
        return Ok(match found.oldest {
            Some(oldest) if found.changes.is_empty() => {
                app.store.changes(oldest.saturating_sub(1), limit, now).await?
            }
            _ => found,
        });
    };
    let found = app.store.changes(since, limit, now).await?;
    if found.is_expired || since > found.last {
        let detail = if found.is_expired {
            "The changes after this cursor are older than 90 days and no longer stored."
        } else {
            "This registry has not given this cursor. It may have been restored from a backup."
        };
        let detail = format!(
            "{detail} Read the active list again, and go on with the `cursor` of a call without `since`."
        );
        return Err(Problem::new(Code::CursorGone, detail).with("cursor", found.last));
    }
    Ok(found)
}
