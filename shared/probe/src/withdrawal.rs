//! Withdraws or restores one listing. Both are conditional writes. If a probe or the publisher changed the
//! listing after it was read, the operation starts again.

use registry_app::App;
use registry_model::error::Problem;
use registry_model::{
    BlockedHost, FeedItem, Lane, Lease, Listing, ListingId, Moment, ProbeHistory, Proof, Schedule, Withdrawal,
};
use registry_store::StoreError;
use registry_store::events::{Event, What};

/// How often a listing that changes concurrently is read again.
const ATTEMPTS: u32 = 8;

/// Restores a listing; false if it is not withdrawn. `blocked` makes the problem document for a blocked host. `refused`
/// may return another problem document.
pub async fn restore_unless(
    app: &App,
    id: &ListingId,
    is_probed: bool,
    blocked: impl Fn(&BlockedHost) -> Problem,
    refused: impl Fn(&Listing) -> Option<Problem>,
) -> Result<bool, Problem> {
    let hosts = app.store.blocked_hosts().await?;
    for _ in 0..ATTEMPTS {
        let unknown = || Problem::listing_not_found(&app.settings.base_url, id.as_str());
        let before = app.store.listing(id).await?.ok_or_else(unknown)?;
        if let Some(block) = hosts.covering(&before.hosts()) {
            return Err(blocked(block));
        }
        if before.lane != Lane::Withdrawn {
            return Ok(false);
        }
        if let Some(problem) = refused(&before) {
            return Err(problem);
        }
        if bring_back(app, &before, is_probed).await? {
            return Ok(true);
        }
    }
    Err(Problem::unavailable("the listing kept changing while it was restored"))
}

/// Withdraws a listing: `None` if there is no such listing, false if it is already withdrawn. The operator can also
/// withdraw a listing that its owner or the block of its host has already withdrawn. After that, neither the owner nor
/// the end of the block can restore the listing.
pub async fn take_off(
    app: &App,
    id: &ListingId,
    withdrawal: &Withdrawal,
) -> Result<Option<bool>, StoreError> {
    for _ in 0..ATTEMPTS {
        let Some(before) = app.store.listing(id).await? else { return Ok(None) };
        // The time of this attempt: another decision about the listing may have been written since the last one.
        let withdrawal = Withdrawal { at: app.clock.now(), ..withdrawal.clone() };
        let is_final = before.withdrawal.as_ref().is_none_or(Withdrawal::is_final);
        if before.lane == Lane::Withdrawn && (is_final || !withdrawal.is_final()) {
            // The last withdrawal may have ended before this.
            if before.withdrawal.as_ref().is_none_or(|last| !last.by_owner) {
                app.store.remove_seen(id).await?;
            }
            return Ok(Some(false));
        }
        let after = Listing {
            lane: Lane::Withdrawn,
            withdrawal: Some(withdrawal.clone()),
            holds_endpoint: withdrawal.by_owner && before.lane.is_proven(),
            proof: Proof {
                live_since: None,
                // Otherwise an owner could change tools unseen by a withdrawal and a restore.
                tools_hash: before.proof.tools_hash.clone().filter(|_| withdrawal.by_owner),
                stored_tools: before.proof.stored_tools.clone().filter(|_| withdrawal.by_owner),
                stored_contents: before.proof.stored_contents.clone().filter(|_| withdrawal.by_owner),
                last_failure: None,
                ..before.proof.clone()
            },
            schedule: Schedule { strikes: Vec::new(), lease: Lease::default(), ..before.schedule.clone() },
            ..before.clone()
        };
        let text =
            format!("{} is no longer listed. Reason: {}", before.texts.name, withdrawal.reason.as_str());
        let news = FeedItem::of_listing(&after, "listing_withdrawn", text, withdrawal.at);
        if decide(app, &before, &after, &news, What::Withdrawn).await? {
            if !withdrawal.by_owner {
                app.store.remove_seen(id).await?;
            }
            return Ok(Some(true));
        }
    }
    Err(StoreError::Busy("the listing kept changing while it was withdrawn".to_owned()))
}

/// Puts a Live or gated listing back into the queue, because its owner moves it to another URL. Returns the listing as it is
/// then; 404 for an unknown listing.
pub async fn end_live_to_move(app: &App, id: &ListingId) -> Result<Listing, Problem> {
    for _ in 0..ATTEMPTS {
        let unknown = || Problem::listing_not_found(&app.settings.base_url, id.as_str());
        let before = app.store.listing(id).await?.ok_or_else(unknown)?;
        if !before.lane.is_proven() {
            return Ok(before);
        }
        let now = app.clock.now();
        let after = requeued(&before, now);
        let text = format!("{} moved to another URL; its next probe decides its state.", before.texts.name);
        let news = FeedItem::of_listing(&after, "listing_demoted", text, now);
        decide(app, &before, &after, &news, What::Demoted).await?;
    }
    Err(Problem::unavailable("the listing kept changing while it was moved"))
}

/// Puts a withdrawn listing back into the queue, with `is_probed` also starts its probe; false where it changed meanwhile.
pub async fn bring_back(app: &App, before: &Listing, is_probed: bool) -> Result<bool, StoreError> {
    let now = app.clock.now();
    let after = requeued(before, now);
    let text = format!("{} was restored; its next probe decides its state.", before.texts.name);
    let news = FeedItem::of_listing(&after, "listing_restored", text, now);
    match is_probed {
        true => decide(app, before, &after, &news, What::Queued).await,
        false => app.store.decide(before, &after, &news).await,
    }
}

/// The listing in the queue, without what earlier probes found.
fn requeued(before: &Listing, now: Moment) -> Listing {
    let proof = before.proof.clone();
    let Schedule { asked_at, probe_requested_at, .. } = before.schedule;
    Listing {
        lane: Lane::Queued,
        withdrawal: None,
        holds_endpoint: false,
        proof: Proof { live_since: None, last_failure: None, history: ProbeHistory::default(), ..proof },
        schedule: Schedule { at_once: true, asked_at, probe_requested_at, ..Schedule::due(now) },
        ..before.clone()
    }
}

/// Writes a decision and sends its event; false where the listing changed since it was read.
async fn decide(
    app: &App,
    before: &Listing,
    after: &Listing,
    news: &FeedItem,
    what: What,
) -> Result<bool, StoreError> {
    let written = app.store.decide(before, after, news).await?;
    if written {
        app.uncount_expired(before, after).await;
        app.bus.send(&Event::of(after, what, app.clock.now())).await;
    }
    Ok(written)
}

/// Withdraws a listing whose host turned out to be blocked. Where the table is busy, the next probe does it.
pub async fn withdraw_blocked(app: &App, listing: &Listing, block: &BlockedHost) -> Result<(), StoreError> {
    take_off(app, &listing.id, &withdrawal_for(block, app.clock.now())).await.map(drop)
}

pub fn withdrawal_for(block: &BlockedHost, at: Moment) -> Withdrawal {
    Withdrawal { reason: block.reason.clone(), at, blocked_host: Some(block.host.clone()), by_owner: false }
}
