//! Brings listings back from an earlier copy of the table.

use super::Outcome;
use crate::App;
use registry_model::error::Problem;
use registry_model::{
    FeedItem, Lane, Listing, ListingId, LogEntry, LogEvent, Moment, NameHold, PublicReason, Withdrawal,
};
use registry_store::{Store, StoreError};

pub(super) async fn recover(
    app: &App,
    copy: &Store,
    named: Vec<ListingId>,
    after: Option<&str>,
) -> Result<Outcome, Problem> {
    let later = app.store.decisions_after(copy).await?;
    let with_intact = !named.is_empty();
    let (ids, next) = if with_intact { (named, None) } else { copy.listing_ids(after).await? };
    let mut recovered = 0;
    for id in &ids {
        let copied = match copy.listing(id).await {
            Err(StoreError::Fault(error)) if !with_intact => {
                tracing::error!(listing_id = %id, error, "a listing of the backup cannot be read; it is left out");
                continue;
            }
            found => found?.ok_or_else(|| Problem::listing_not_found(id.as_str()))?,
        };
        let before = match app.store.listing(id).await {
            Err(StoreError::Fault(_)) => None,
            found => found?,
        };
        if before.is_some() && !with_intact {
            continue;
        }
        let now = app.clock.now();
        let mut after = state_after(copied, later.last(id), now);
        if is_name_held(app, &after).await? {
            after.name_hold = Some(NameHold::Yielded);
        }
        let state =
            if after.withdrawal.is_some() { "stays withdrawn" } else { "is not shown until it is probed" };
        let text = format!("{} was brought back from a backup. It {state}.", after.name);
        let news = FeedItem {
            what: "listing_restored".to_owned(),
            at: now,
            listing_id: Some(id.clone()),
            kind: after.kind,
            name: after.name.clone(),
            text,
            severity: None,
        };
        recovered += u32::from(app.store.recover(copy, before.as_ref(), &after, &later, &news).await?);
    }
    let note = "A listing that was withdrawn after the backup was made stays withdrawn. All other listings that were \
        brought back are probed again.";
    Ok(Outcome { next, ..Outcome::of_one(recovered > 0, recovered, note) })
}

/// Whether another listing has proven the name of this one.
async fn is_name_held(app: &App, listing: &Listing) -> Result<bool, StoreError> {
    let Some(name) = &listing.server_name else { return Ok(false) };
    let named = app.store.listings_named(name).await?;
    let holds = |other: &Listing| {
        other.id != listing.id
            && other.server_name == listing.server_name
            && other.name_hold == Some(NameHold::Held)
    };
    Ok(named.iter().any(holds))
}

/// A listing of the copy as it enters the table: it waits for a probe, unless it is withdrawn.
fn state_after(copied: Listing, last: Option<&LogEntry>, now: Moment) -> Listing {
    let withdrawal = match last {
        None => copied.withdrawal.clone(),
        Some(leaf) if leaf.event == LogEvent::Withdrawn => withdrawal_of(leaf),
        Some(_) => None,
    };
    Listing {
        lane: if withdrawal.is_some() { Lane::Withdrawn } else { Lane::Queued },
        withdrawal,
        due_at: now,
        live_since: None,
        kept_tools: None,
        kept_contents: None,
        failures: 0,
        strikes: Vec::new(),
        failing_since: None,
        attempts: 0,
        lease: None,
        lease_until: 0,
        ..copied
    }
}

/// The withdrawal that a leaf records. The log does not contain the operator's words. `None` for a blocked host: if the
/// block still exists, the next probe withdraws the listing.
fn withdrawal_of(leaf: &LogEntry) -> Option<Withdrawal> {
    let reason = leaf.reason.as_deref().filter(|reason| *reason != "host_blocked")?;
    let by_owner = reason == "withdrawn_by_owner";
    let who = if by_owner { "its owner" } else { "the operator" };
    let reason: PublicReason =
        format!("Withdrawn by {who}. The words of the reason are lost.").try_into().ok()?;
    Some(Withdrawal { reason, at: leaf.at, blocked_host: None, by_owner })
}
