//! Takes back rewards and purchases.

use crate::operator::takedown::Outcome;
use crate::prelude::*;
use registry_model::PurchaseId;

pub(super) async fn void_completion(app: &App, id: &ListingId) -> Result<Outcome, Problem> {
    let Some(completion) = app.store.completion(id).await? else {
        return Ok(Outcome::of_one(false, 0, "This listing has sent no feedback."));
    };
    if !app.store.void_completion(&completion).await? {
        return Err(Problem::unavailable("the reward changed meanwhile; try again"));
    }
    let note = "Voided. The token or code of this listing gives nothing any more. The listing can give feedback again.";
    Ok(Outcome::of_one(true, 0, note))
}

pub(super) async fn revoke_purchase(app: &App, id: &PurchaseId) -> Result<Outcome, Problem> {
    let stored = app.store.purchase(id).await?.ok_or_else(|| {
        let detail = format!("Unknown purchase `{id}`.");
        Problem::new(Code::PurchaseNotFound, detail)
    })?;
    let closed = app.store.close_purchase(&stored.purchase).await?;
    let note = match closed {
        true => "Revoked. Its token gives no access any more. If it was paid, refund the payment at Stripe.",
        false => "This purchase is closed already.",
    };
    Ok(Outcome::of_one(closed, 0, note))
}

pub(super) async fn flagged(app: &App) -> Result<Outcome, Problem> {
    let flagged = app.store.flagged_purchases(Moment::UNIX_EPOCH).await?;
    let note = match flagged.is_empty() {
        true => "No purchase is flagged.",
        false => "Look at each purchase at Stripe. `revoke-purchase` closes a purchase.",
    };
    Ok(Outcome { flagged, ..Outcome::of_one(false, 0, note) })
}
