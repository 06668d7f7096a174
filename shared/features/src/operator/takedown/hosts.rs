//! Blocks a host. The block is written first, so that no new listing is accepted. Then each call withdraws a
//! limited number of listings. Listings that remain are withdrawn when they are next probed. This includes
//! listings that an older version stored without their hosts.

use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::operator::takedown::{Outcome, blocked_conflict};
use crate::prelude::*;
use registry_model::{BlockedHost, HostName, PublicReason};
use registry_probe::withdrawal::{bring_back, take_off, withdrawal_for};
use registry_store::{HostPointer, StoreError};

/// Pointers that one call reads. The limit makes sure that the call ends within the minute that its function may run.
const MAX_PER_CALL: i32 = 200;
const CONCURRENCY: usize = 4;

pub(super) async fn block(app: &App, host: HostName, reason: PublicReason) -> Result<Outcome, Problem> {
    let now = app.clock.now();
    let text = format!(
        "{host} is blocked. No agent or server at this host is listed any more. Reason: {}",
        reason.as_str()
    );
    let block = BlockedHost { host, reason, at: now };
    let new = app.store.block_host(&block, &news("host_blocked", &block.host, text, now)).await?;
    // An existing block keeps its reason.
    let standing = app.store.blocked_hosts().await?;
    let block = standing.covering(std::slice::from_ref(&block.host)).unwrap_or(&block).clone();

    let ids = app.store.listings_at(&block.host, HostPointer::Listed, MAX_PER_CALL).await?;
    let withdrawal = withdrawal_for(&block, now);
    let withdrawn = each(&ids, |id| async { Ok(take_off(app, id, &withdrawal).await?.unwrap_or(false)) });
    let withdrawn = withdrawn.await?;
    let left = app.store.count_listings_at(&block.host, HostPointer::Listed).await?;
    let note = match left {
        0 => "Blocked. The listings at this host are withdrawn, and new listings are refused.",
        _ => "Blocked; new listings are refused. Repeat the command to withdraw the remaining listings.",
    };
    Ok(Outcome { left, ..Outcome::of_one(new || withdrawn > 0, withdrawn, note) })
}

pub(super) async fn unblock(app: &App, host: &HostName) -> Result<Outcome, Problem> {
    // The widest block comes first.
    let blocks = app.store.blocked_hosts().await?;
    if let Some(above) = blocks.covering(std::slice::from_ref(host)).filter(|block| block.host != *host) {
        return Err(blocked_conflict(format!(
            "{} and its subdomains are blocked. Unblock that host first.",
            above.host
        )));
    }
    let text = format!("{host} is no longer blocked. Listings at this host are accepted again.");
    let ended = app.store.unblock_host(host, &news("host_unblocked", host, text, app.clock.now())).await?;
    let standing = app.store.blocked_hosts().await?;
    let ids = app.store.listings_at(host, HostPointer::Blocked, MAX_PER_CALL).await?;
    let restored = each(&ids, |id| async {
        match app.store.listing(id).await? {
            // A listing that has another, still blocked host stays withdrawn.
            Some(listing)
                if listing.lane == Lane::Withdrawn && standing.covering(&listing.hosts()).is_none() =>
            {
                bring_back(app, &listing, true).await
            }
            _ => Ok(false),
        }
    });
    let restored = restored.await?;
    let left =
        if restored == 0 { 0 } else { app.store.count_listings_at(host, HostPointer::Blocked).await? };
    let note = match (left, ended || restored > 0) {
        (0, true) => "Unblocked. The listings that only this block withdrew are probed again.",
        (0, false) => "This host is not blocked.",
        _ => "Unblocked. Repeat the command to restore the remaining listings.",
    };
    Ok(Outcome { left, ..Outcome::of_one(ended || restored > 0, restored, note) })
}

/// 403 for a listing at a blocked host.
pub fn host_blocked(block: &BlockedHost) -> Problem {
    let detail = format!(
        "{} is blocked, so no agent or server at this host is listed or probed. Use another host, or contact \
         the operator of this registry. Reason: {}",
        block.host,
        block.reason.as_str()
    );
    Problem::new(Code::HostBlocked, detail).with("host", block.host.as_str())
}

/// Applies `change` to each listing, a few concurrently; returns how many changed.
async fn each<'a, F>(ids: &'a [ListingId], change: impl Fn(&'a ListingId) -> F) -> Result<u32, StoreError>
where
    F: Future<Output = Result<bool, StoreError>>,
{
    let changes: Vec<F> = ids.iter().map(change).collect();
    let done: Vec<bool> = stream::iter(changes).buffer_unordered(CONCURRENCY).try_collect().await?;
    Ok(u32::try_from(done.into_iter().filter(|done| *done).count()).unwrap_or(u32::MAX))
}

fn news(what: &str, host: &HostName, text: String, at: Moment) -> FeedItem {
    FeedItem { what: what.to_owned(), at, name: host.to_string(), text, ..FeedItem::default() }
}
