//! The demo: some files of a product, made from the listing's own card and proof. The demo is free for Live
//! listings. If a listing takes the demo again, the response contains the same order.

use super::profile::profile_of_listing;
use crate::feed_item;
use crate::prelude::*;
use registry_model::{Amounts, Order, OrderId};
use registry_products::{File, Profile};
use registry_store::{DemoOutcome, FunnelCounts, ListingWithOrders, NamedListing};

#[derive(Clone, Debug, PartialEq)]
pub struct DemoRequest {
    pub listing: ListingRef,
    /// Defaults to the product of the listing's kind.
    pub sku: Option<Sku>,
    /// For this answer only; they are not stored.
    pub goals: Vec<String>,
    pub invited: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ListingRef {
    Id(String),
    Url(String),
}

#[derive(Clone, Debug)]
pub struct Demo {
    pub order: Order,
    pub listing: NamedListing,
    pub profile: Profile,
    pub files: Vec<File>,
    pub counts: FunnelCounts,
}

/// Takes a demo. Errors: 404 unknown listing, 409 `not_active`, 429.
pub async fn demo(app: &App, caller: &Caller, request: DemoRequest) -> Result<Demo, Problem> {
    let ListingWithOrders { listing, orders, trail } = find(app, &request.listing).await?;
    let core = &listing.0;
    let lane = core.public_lane(app.oldest_proof());
    if lane != Lane::Active {
        return Err(not_active(app, "A demo", &core.id, lane));
    }
    let sku = request.sku.unwrap_or_else(|| Sku::of_kind(core.likely_kind()));
    let known = orders.into_iter().find(|order| order.sku == sku);
    if known.is_some() {
        // `take` counts the first demo.
        app.count(LimitedAction::Product, &app.caller_digest(caller).await?, None).await?;
    }
    let order = match known {
        // A request without an invitation shows that the demo is a real one, whoever took it first.
        Some(order) if !order.is_real() && !request.invited => {
            let real = Order { invited: false, ..order.clone() };
            app.store.confirm_order(&order, &real).await?;
            real
        }
        Some(order) => order,
        None => take(app, caller, &listing, trail, sku, &request).await?,
    };
    let profile = profile_of_listing(app, &listing, &request.goals).await?;
    let files = registry_products::sample(sku, &profile, &app.settings);
    let counts = app.store.live().await?.funnel;
    Ok(Demo { order, listing, profile, files, counts })
}

async fn take(
    app: &App,
    caller: &Caller,
    (core, _): &NamedListing,
    trail: Amounts,
    sku: Sku,
    request: &DemoRequest,
) -> Result<Order, Problem> {
    let order = Order {
        order_id: OrderId::of(&core.id, sku),
        listing_id: core.id.clone(),
        sku,
        at: app.clock.now(),
        invited: request.invited,
        confirmed_at: None,
    };
    let news = feed_item(core, "demo_taken", order.at, &format!("took the {} demo.", sku.title()));
    let name = app.caller_digest(caller).await?;
    let allowance = app.allowance(LimitedAction::Demo, &name, None);
    match app.store.take_demo(core, &order, trail, allowance, &news).await? {
        DemoOutcome::Taken => Ok(order),
        // Another request took it at the same moment: return that order.
        DemoOutcome::AlreadyTaken => Ok(app.store.order(&order.order_id).await?.unwrap_or(order)),
        DemoOutcome::NotActive => Err(Problem::unavailable("the listing stopped being Live meanwhile")),
    }
}

async fn find(app: &App, which: &ListingRef) -> Result<ListingWithOrders, Problem> {
    let id = match which {
        ListingRef::Id(id) => id.parse::<ListingId>().ok(),
        // The listing that was proven at this endpoint may have another id than the URL.
        ListingRef::Url(url) => {
            let holder = app.store.endpoint_holders(std::slice::from_ref(url)).await?.remove(url);
            holder.or_else(|| url::Url::parse(url).ok().map(|url| ListingId::of_url(&url)))
        }
    };
    let missing = || match which {
        ListingRef::Id(id) => Problem::listing_not_found(&app.settings.base_url, id),
        ListingRef::Url(url) => Problem::no_such_listing(&app.settings.base_url, url),
    };
    app.store.listing_with_orders(&id.ok_or_else(missing)?, app.clock.now()).await?.ok_or_else(missing)
}

pub(super) fn not_active(app: &App, what: &str, id: &ListingId, lane: Lane) -> Problem {
    let detail = format!("{what} requires a Live listing. The state of this listing is {}.", lane.as_str());
    let note = "The status says why the listing is not Live, and what to do.";
    let status = NextStep::check_status(&app.settings.base_url, id, note);
    Problem::conflict(Code::NotActive, detail).with("lane", lane.as_str()).with_next(status)
}
