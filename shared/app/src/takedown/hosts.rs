//! Blocking a host. The block stands first, so that nothing new comes; then what is listed there is withdrawn, so much
//! in one call. What a call leaves, or an older version did not file by its host, falls when it is next to be probed.

use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use super::listings;
use super::outcome::Outcome;
use crate::App;
use registry_model::error::Problem;
use registry_model::{
    BlockedHost, FeedItem, HostName, Lane, Listing, ListingId, Moment, PublicReason, Withdrawal,
};
use registry_store::{HostPointer, StoreError};

/// Pointers that one call goes through, so that it ends within its function's minute.
const IN_ONE_CALL: i32 = 200;
/// Listings at the same time.
const AT_ONCE: usize = 4;

pub(super) async fn block(app: &App, host: HostName, reason: PublicReason) -> Result<Outcome, Problem> {
    let now = app.clock.now();
    let text = format!("Nothing of {host} is listed any longer: {}", reason.as_str());
    let block = BlockedHost { host, reason, at: now };
    let new = app.store.block_host(&block, &news("host_blocked", &block.host, text, now)).await?;
    // A block that stood already keeps its reason.
    let standing = app.store.blocked_hosts().await?;
    let block = standing.covering(std::slice::from_ref(&block.host)).unwrap_or(&block).clone();

    let ids = app.store.listings_at(&block.host, HostPointer::Listed, IN_ONE_CALL).await?;
    let withdrawal = withdrawal(&block, now);
    let withdrawn =
        each(&ids, |id| async { Ok(listings::take_off(app, id, &withdrawal).await?.unwrap_or(false)) });
    let withdrawn = withdrawn.await?;
    let left = app.store.count_listings_at(&block.host, HostPointer::Listed).await?;
    let note = match left {
        0 => "Blocked. Nothing of this host is listed, and nothing is taken.",
        _ => "Blocked; nothing new is taken. Give the same command again to withdraw what is left.",
    };
    Ok(Outcome { ok: true, changed: new || withdrawn > 0, listings: withdrawn, left, note: note.to_owned() })
}

pub(super) async fn unblock(app: &App, host: &HostName) -> Result<Outcome, Problem> {
    let text = format!("What is published at {host} is taken again.");
    let ended = app.store.unblock_host(host, &news("host_unblocked", host, text, app.clock.now())).await?;
    let standing = app.store.blocked_hosts().await?;
    if let Some(above) = standing.covering(std::slice::from_ref(host)) {
        let detail = format!("{} is blocked with all that lies under it: unblock that.", above.host);
        return Err(Problem::new(http::StatusCode::CONFLICT, "host_blocked", detail));
    }
    let ids = app.store.listings_at(host, HostPointer::Blocked, IN_ONE_CALL).await?;
    let restored = each(&ids, |id| async {
        match app.store.listing(id).await? {
            // A listing may have another host that is still blocked: it stays off.
            Some(listing)
                if listing.lane == Lane::Withdrawn && standing.covering(&listing.hosts()).is_none() =>
            {
                listings::bring_back(app, &listing).await
            }
            _ => Ok(false),
        }
    });
    let restored = restored.await?;
    let left = match restored {
        0 => 0,
        _ => app.store.count_listings_at(host, HostPointer::Blocked).await?,
    };
    let note = match (left, ended || restored > 0) {
        (0, true) => "Unblocked. What the block withdrew is probed again.",
        (0, false) => "This host is not blocked.",
        _ => "Unblocked. Give the same command again to restore what is left.",
    };
    Ok(Outcome { ok: true, changed: ended || restored > 0, listings: restored, left, note: note.to_owned() })
}

/// 403 for whoever wants something at a blocked host listed or asked.
#[must_use]
pub fn host_blocked(block: &BlockedHost) -> Problem {
    let detail = format!(
        "Nothing at {} is listed or asked here: {} Serve it from another host, or ask the operator of this registry.",
        block.host,
        block.reason.as_str()
    );
    Problem::new(http::StatusCode::FORBIDDEN, "host_blocked", detail).with("host", block.host.as_str())
}

/// Withdraws a listing whose host turned out to be blocked.
///
/// # Errors
/// The table is busy; the listing falls when it is next to be probed.
pub async fn withdraw_blocked(app: &App, listing: &Listing, block: &BlockedHost) -> Result<(), StoreError> {
    listings::take_off(app, &listing.id, &withdrawal(block, app.clock.now())).await.map(drop)
}

fn withdrawal(block: &BlockedHost, at: Moment) -> Withdrawal {
    Withdrawal { reason: block.reason.clone(), at, blocked_host: Some(block.host.clone()), by_owner: false }
}

/// Does the same for each, a few at a time; how many said yes.
async fn each<'a, F>(ids: &'a [ListingId], change: impl Fn(&'a ListingId) -> F) -> Result<u32, StoreError>
where
    F: Future<Output = Result<bool, StoreError>>,
{
    let changes: Vec<F> = ids.iter().map(change).collect();
    let done: Vec<bool> = stream::iter(changes).buffer_unordered(AT_ONCE).try_collect().await?;
    Ok(u32::try_from(done.into_iter().filter(|done| *done).count()).unwrap_or(u32::MAX))
}

fn news(what: &str, host: &HostName, text: String, at: Moment) -> FeedItem {
    FeedItem { what: what.to_owned(), at, listing_id: None, kind: None, name: host.to_string(), text }
}
