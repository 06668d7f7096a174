//! The operator, or the owner, withdraws or restores one listing. The caller has proven to be the owner. A decision of the
//! operator takes precedence over a decision of the owner.

use super::{Outcome, blocked_conflict, host_blocked};
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
    let unblock_first = |block: &BlockedHost| {
        blocked_conflict(format!("The host of this listing is blocked. Unblock {} first.", block.host))
    };
    Ok(match restore_unless(app, id, true, unblock_first, |_| None).await? {
        true => Outcome::of_one(true, 1, "Restored. It waits for its next probe."),
        false => Outcome::of_one(false, 0, "This listing is not withdrawn."),
    })
}

/// Withdraws a listing for its owner; false if it was already withdrawn. 404 for an unknown listing.
pub async fn withdraw_by_owner(app: &App, id: &ListingId) -> Result<bool, Problem> {
    let reason = PublicReason::try_from("Withdrawn by its owner.".to_owned());
    let reason = reason.map_err(Problem::fault)?;
    let withdrawal = Withdrawal { reason, at: app.clock.now(), blocked_host: None, by_owner: true };
    let unknown = || Problem::listing_not_found(&app.settings.base_url, id.as_str());
    take_off(app, id, &withdrawal).await?.ok_or_else(unknown)
}

/// Restores a listing that its owner withdrew; false if it is not withdrawn. 404 for an unknown listing, 403 if its
/// host is blocked, 409 if the operator withdrew it. With `is_probed`, its probe starts at once.
pub async fn restore_by_owner(app: &App, id: &ListingId, is_probed: bool) -> Result<bool, Problem> {
    let refused = |listing: &Listing| {
        let by_owner = listing.withdrawal.as_ref().is_some_and(|withdrawal| withdrawal.by_owner);
        let detail = "The operator of this registry withdrew this listing; only the operator can restore it.";
        (!by_owner).then(|| Problem::new(Code::WithdrawnByOperator, detail))
    };
    restore_unless(app, id, is_probed, host_blocked, refused).await
}
