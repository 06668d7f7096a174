//! Taking the demo: real artifacts of a product, made from the listing's own card and proof. Free, for Live listings, and
//! the same order however often it is asked for.

use super::profile;
use registry_app::App;
use registry_formats::argument_text;
use registry_model::error::Problem;
use registry_model::{Amounts, Caller, FeedItem, Lane, ListingId, Order, OrderId, Sku};
use registry_products::{File, Profile};
use registry_store::{Allowance, DemoOutcome, FunnelCounts, NamedListing, WithOrders};

/// Goals stored with a demo.
const MOST_GOALS: usize = 12;
const LONGEST_GOAL: usize = 300;

#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    pub listing: Which,
    /// Defaults to the product of the listing's kind.
    pub sku: Option<Sku>,
    pub goals: Vec<String>,
    pub invited: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Which {
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

pub fn goals(goals: &[String]) -> Result<Vec<String>, Problem> {
    few_goals(goals.len())?;
    goals.iter().map(|goal| argument_text::line("goals", goal, LONGEST_GOAL)).collect()
}

pub fn few_goals(count: usize) -> Result<(), Problem> {
    if count <= MOST_GOALS {
        return Ok(());
    }
    let detail = format!("`goals` may hold {MOST_GOALS} goals. Send the ones that matter most.");
    Err(Problem::invalid("goals", "too_many", detail))
}

/// Takes a demo. Errors: 404 unknown listing, 409 `not_active`, 429.
pub async fn demo(app: &App, caller: &Caller, wanted: Wanted) -> Result<Demo, Problem> {
    let WithOrders { listing, orders, trail } = find(app, &wanted.listing).await?;
    let core = &listing.0;
    let lane = core.shown_lane(app.oldest_proof());
    if lane != Lane::Active {
        return Err(not_active(app, &core.id, lane));
    }
    let sku = wanted.sku.unwrap_or_else(|| Sku::of_kind(core.shown_kind()));
    let known = orders.into_iter().find(|order| order.sku == sku);
    let order = match known {
        Some(order) => order,
        None => take(app, caller, &listing, trail, sku, &wanted).await?,
    };
    let goals = if wanted.goals.is_empty() { &order.goals } else { &wanted.goals };
    let profile = profile::of_listing(app, &listing, goals).await?;
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
    wanted: &Wanted,
) -> Result<Order, Problem> {
    let order = Order {
        order_id: OrderId::of(&core.id, sku),
        listing_id: core.id.clone(),
        sku,
        at: app.clock.now(),
        goals: wanted.goals.clone(),
        invited: wanted.invited,
        confirmed_at: None,
    };
    let news = FeedItem {
        what: "demo_taken".to_owned(),
        at: order.at,
        listing_id: Some(core.id.clone()),
        kind: core.kind,
        name: core.name.clone(),
        text: format!("{} took the {} demo.", core.name, sku.title()),
    };
    let name = caller.name();
    let allowance = Allowance { act: "demo", caller: &name, host: None, rate: app.settings.demo_rate };
    let allowance = app.settings.rate_limits.then_some(allowance);
    match app.store.take_demo(core, &order, trail, allowance, &news).await? {
        DemoOutcome::Taken => Ok(order),
        // Taken by another request at the same moment: this is that order.
        DemoOutcome::AlreadyTaken => Ok(app.store.order(&order.order_id).await?.unwrap_or(order)),
        DemoOutcome::NotActive => Err(not_active(app, &core.id, Lane::Queued)),
        DemoOutcome::Limited(used_up) => Err(used_up.into()),
    }
}

async fn find(app: &App, which: &Which) -> Result<WithOrders, Problem> {
    let (asked, id) = match which {
        Which::Id(id) => (id, id.parse::<ListingId>().ok()),
        Which::Url(url) => (url, url::Url::parse(url).ok().map(|url| ListingId::of_url(&url))),
    };
    let missing = || Problem::listing_not_found(asked);
    let id = id.ok_or_else(missing)?;
    match (app.store.listing_with_orders(&id, app.clock.now()).await?, which) {
        (Some(found), _) => Ok(found),
        // What was published by its description, or answers elsewhere, holds its endpoint.
        (None, Which::Url(url)) => {
            let holder = app.store.endpoint_holder(url, &id).await?.ok_or_else(missing)?;
            app.store.listing_with_orders(&holder, app.clock.now()).await?.ok_or_else(missing)
        }
        (None, Which::Id(_)) => Err(missing()),
    }
}

fn not_active(app: &App, id: &ListingId, lane: Lane) -> Problem {
    let status = app.settings.url(&format!("/api/listings/status?id={id}"));
    let detail = format!("A demo is for Live listings; this one is {}.", lane.as_str());
    Problem::new(http::StatusCode::CONFLICT, "not_active", detail).with("lane", lane.as_str()).with_next(
        serde_json::json!({
            "action": "check_status", "method": "GET", "url": status, "tool": "check_status", "arguments": { "id": id },
            "note": "It says what to fix. Publish again after that, and take the demo once lane is `active`.",
        }),
    )
}
