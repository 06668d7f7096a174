//! Lets the owner of a listing withdraw and restore it. The caller has already proven to be the owner. A
//! decision of the operator takes precedence over a decision of the owner.

use crate::operator::takedown::hosts::host_blocked;
use crate::prelude::*;
use registry_model::{PublicReason, Withdrawal};
use registry_probe::withdrawal::{restore_unless, take_off};

/// Withdraws a listing for its owner; false if it was already withdrawn. 404 for an unknown listing.
pub async fn withdraw_by_owner(app: &App, id: &ListingId) -> Result<bool, Problem> {
    let reason = PublicReason::try_from("Withdrawn by its owner.".to_owned());
    let reason = reason.map_err(|error| Problem::fault(error.to_string()))?;
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
        (!by_owner).then(|| Problem::conflict(Code::WithdrawnByOperator, detail))
    };
    restore_unless(app, id, is_probed, host_blocked, refused).await
}
