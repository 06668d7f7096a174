//! Feedback: a listing answers five questions after the demo. Each listing can do this once. In return it
//! gets a founding seat or a discount code.

use super::access::order_not_found;
use super::demo::not_active;
use super::feedback_form::{GivenFeedback, is_draft, parse};
use super::reward::{FeedbackGiven, already_completed, complete, demo_first, reissue};
use crate::prelude::*;
use registry_model::{Feedback, Order, OrderId};
use registry_store::{ListingWithOrders, NewFeedback};

/// Takes feedback. Errors: 404 unknown listing, 409 `not_active`, `demo_first` or `already_completed`, 422, 429.
pub async fn give(app: &App, caller: &Caller, given: GivenFeedback) -> Result<FeedbackGiven, Problem> {
    if given.listing_id.is_none() && given.order_id.is_none() {
        return Err(which_listing());
    }
    let form = parse(&given)?;
    let (ListingWithOrders { listing: (core, _), orders, trail }, named) = find(app, &given).await?;
    if core.lane == Lane::Withdrawn {
        return Err(Problem::listing_withdrawn(&app.settings.base_url, &core.id));
    }
    let order = chosen(app, &core, orders, named.as_ref())?;
    if core.feedbacked && given.reissue {
        return reissue(app, caller, &core.id, form.key_digest.as_deref()).await;
    }
    if core.feedbacked {
        return Err(already_completed(app, &core.id));
    }
    if given.kind.is_some_and(|kind| kind != core.likely_kind()) {
        let detail =
            format!("`kind` does not match the listing, which is `{}`.", core.likely_kind().as_str());
        return Err(conflict("kind", Code::OtherKind, &detail));
    }
    let feedback = Feedback {
        listing_id: core.id.clone(),
        kind: core.likely_kind(),
        order_id: order.order_id.clone(),
        sku: order.sku,
        rating: form.rating,
        is_draft: is_draft(&given.answers),
        answers: given.answers,
        body: form.body,
        at: app.clock.now(),
    };
    let name = app.caller_digest(caller).await?;
    let allowance = app.allowance(LimitedAction::Feedback, &name, None);
    let new_feedback = NewFeedback {
        feedback: &feedback,
        contact: &form.contact,
        key_digest: form.key_digest.as_deref(),
        trail,
    };
    let reward = complete(app, new_feedback, form.goals, &core, allowance).await?;
    let counts = app.store.live().await?.funnel;
    Ok(FeedbackGiven { feedback, reward, counts })
}

async fn find(app: &App, given: &GivenFeedback) -> Result<(ListingWithOrders, Option<OrderId>), Problem> {
    let named = match given.order_id.as_deref() {
        None => None,
        Some(id) => Some(id.parse::<OrderId>().map_err(|_| order_not_found(app, id))?),
    };
    let missing = |id: &str| Problem::listing_not_found(&app.settings.base_url, id);
    let id = match (given.listing_id.as_deref(), &named) {
        (Some(id), _) => id.parse::<ListingId>().map_err(|_| missing(id))?,
        (None, Some(order)) => {
            app.store.order(order).await?.ok_or_else(|| order_not_found(app, order.as_str()))?.listing_id
        }
        (None, None) => return Err(which_listing()),
    };
    let found = app.store.listing_with_orders(&id, app.clock.now()).await?;
    Ok((found.ok_or_else(|| missing(id.as_str()))?, named))
}

fn which_listing() -> Problem {
    let detail = "Send the `listing_id` of the listing, or the `order_id` that its demo returned.";
    Problem::invalid("listing_id", Code::WhichListing, detail)
}

/// The named order; without one the order of its kind's product, or any other.
fn chosen(
    app: &App,
    listing: &Listing,
    orders: Vec<Order>,
    named: Option<&OrderId>,
) -> Result<Order, Problem> {
    if let Some(named) = named {
        let found = orders.into_iter().find(|order| order.order_id == *named);
        let detail = "This listing has no such order. Send the `order_id` from the demo of this listing.";
        return found.ok_or_else(|| conflict("order_id", Code::OtherListing, detail));
    }
    let default = Sku::of_kind(listing.likely_kind());
    orders.into_iter().min_by_key(|order| (order.sku != default, order.at)).ok_or_else(|| {
        match listing.public_lane(app.oldest_proof()) {
            Lane::Active => demo_first(app, &listing.id),
            lane => not_active(app, "Feedback requires a demo, which", &listing.id, lane),
        }
    })
}

pub(crate) fn conflict(field: &'static str, code: Code, detail: &str) -> Problem {
    let mut problem = Problem::invalid(field, code, detail);
    problem.kind = ErrorKind::Conflict;
    problem
}
