//! The operator withdraws or restores one listing.

use super::{Outcome, blocked_conflict};
use crate::prelude::*;
use registry_model::{BlockedHost, PublicReason, Withdrawal};
use registry_probe::withdrawal::{restore_unless, take_off};

pub(super) async fn withdraw(app: &App, id: &ListingId, reason: PublicReason) -> Result<Outcome, Problem> {
    let withdrawal = Withdrawal { reason, at: app.clock.now(), blocked_host: None, by_owner: false };
    match take_off(app, id, &withdrawal).await? {
        None => Err(Problem::listing_not_found(&app.settings.base_url, id.as_str())),
        Some(false) => Ok(Outcome::of_one(false, 0, "This listing is already withdrawn.")),
        Some(true) => Ok(Outcome::of_one(true, 1, "Withdrawn, until the command `restore`.")),
    }
}

pub(super) async fn restore(app: &App, id: &ListingId) -> Result<Outcome, Problem> {
    let host_blocked = |block: &BlockedHost| {
        blocked_conflict(format!("The host of this listing is blocked. Unblock {} first.", block.host))
    };
    Ok(match restore_unless(app, id, true, host_blocked, |_| None).await? {
        true => Outcome::of_one(true, 1, "Restored. It waits for its next probe."),
        false => Outcome::of_one(false, 0, "This listing is not withdrawn."),
    })
}
