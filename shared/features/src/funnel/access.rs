//! What an access token gives access to: a product, or the confirmation of a demo after an invitation. The
//! product is generated again for each request from the current listing. A purchase also has the data of the day when
//! it began, for the time in which the listing is not Live.

use super::profile::{profile_of_description, profile_of_listing};
use crate::prelude::*;
use registry_model::{AccessToken, DiscountCode, Grant, GrantSource, GrantSubject, Order, OrderId};
use registry_products::{File, Profile};

/// How an operation that opens the product of an access token can refuse a request.
pub const OPENING_REFUSALS: &[ErrorKind] = &[
    ErrorKind::Unauthenticated,
    ErrorKind::PaymentRequired,
    ErrorKind::NotFound,
    ErrorKind::Conflict,
    ErrorKind::Gone,
];

#[derive(Clone, Debug)]
pub struct Opened {
    pub grant: Grant,
    pub profile: Profile,
    pub files: Vec<File>,
}

/// Opens the product of an access token. Errors: 401 unknown token, 402 not paid yet, 410 listing of a founding seat
/// withdrawn.
pub async fn open(app: &App, token: &str) -> Result<Opened, Problem> {
    let grant = grant(app, "token", token).await?;
    if let GrantSource::Purchase { id, paid_at: None } = &grant.source {
        let detail = "No payment for this purchase is confirmed. The token works only after that.";
        let url = app.settings.url(&format!("/api/products/checkout?purchase_id={id}"));
        let purchase = json!({ "purchase_id": id });
        let state = NextStep::get("checkout", url, purchase, "The state of the purchase.");
        return Err(Problem::new(Code::NotPaid, detail).with_next(state));
    }
    let profile = match &grant.subject {
        GrantSubject::Listing(id) => {
            let listing = app.store.listing_with_evidence(id).await?;
            let listing = listing.filter(|listing| listing.0.lane != Lane::Withdrawn);
            let bought = match &listing {
                Some(listing) if listing.0.lane.is_proven() => None,
                _ => bought(app, &grant.source).await?,
            };
            match (bought, listing) {
                (Some(profile), _) => profile,
                (None, Some(listing)) => profile_of_listing(app, &listing, grant.goals()).await?,
                (None, None) => {
                    let detail = "The listing of this product was withdrawn.";
                    let status = NextStep::check_status(
                        &app.settings.base_url,
                        id,
                        "It says who can restore the listing.",
                    );
                    return Err(Problem::new(Code::ListingWithdrawn, detail).with_next(status));
                }
            }
        }
        GrantSubject::Described { kind, name, description } => {
            let profile = Profile::unlisted(*kind, name, description.as_deref(), Vec::new());
            profile_of_description(app, Profile { goals: grant.goals().to_vec(), ..profile }).await?
        }
    };
    let files = registry_products::tree(grant.sku, &profile, &app.settings);
    Ok(Opened { grant, profile, files })
}

/// What was bought, as of the day when the purchase began.
async fn bought(app: &App, source: &GrantSource) -> Result<Option<Profile>, Problem> {
    let GrantSource::Purchase { id, .. } = source else { return Ok(None) };
    let snapshot = app.store.purchase_snapshot(id).await?;
    Ok(snapshot.and_then(|text| serde_json::from_str(&text).ok()))
}

async fn grant(app: &App, field: &str, token: &str) -> Result<Grant, Problem> {
    let token: AccessToken = token.parse().map_err(|_| bad_token(app, field))?;
    app.store.grant(&token.digest()).await?.ok_or_else(|| bad_token(app, field))
}

fn bad_token(app: &App, field: &str) -> Problem {
    let detail = format!("Unknown or revoked `{field}`. Check the spelling.");
    let note = "Send the `listing_id` of a Live listing. Its first feedback can earn a token while founding seats (free products) \
            are left. So can a purchase once payments are open.";
    let next = NextStep::take_demo(&app.settings.base_url, None, note);
    Problem::new(Code::BadToken, detail).with_field(field).with_next(next)
}

#[derive(Clone, Debug)]
pub struct Confirmed {
    pub order: Order,
    pub listing: Listing,
}

/// Confirms the demo of an order. An order without an invitation needs no confirmation and is returned unchanged. Anyone
/// can get the id of an order, so a confirmation needs the token or the discount code of the listing. Errors: 404 unknown
/// order, 401 token of another listing, 409 `token_required`.
pub async fn confirm(app: &App, order_id: &str, token: Option<&str>) -> Result<Confirmed, Problem> {
    let unknown = || order_not_found(app, order_id);
    let id: OrderId = order_id.parse().map_err(|_| unknown())?;
    let order = app.store.order(&id).await?.ok_or_else(unknown)?;
    if let Some(token) = token {
        let holder = match token.parse::<DiscountCode>() {
            Ok(code) => app.store.discount(&code.digest()).await?.and_then(|code| code.listing_id),
            Err(_) => match grant(app, "access_token", token).await?.subject {
                GrantSubject::Listing(id) => Some(id),
                GrantSubject::Described { .. } => None,
            },
        };
        if holder.as_ref() != Some(&order.listing_id) {
            let mut problem = bad_token(app, "access_token");
            problem.detail = "`access_token` is no current token or code of the order's listing.".to_owned();
            return Err(problem);
        }
    }
    let listing = app.store.listing(&order.listing_id).await?.ok_or_else(unknown)?;
    if order.is_real() {
        return Ok(Confirmed { order, listing });
    }
    if token.is_none() {
        return Err(token_required(app, &listing, order.sku));
    }
    let confirmed = Order { confirmed_at: Some(app.clock.now()), ..order.clone() };
    app.store.confirm_order(&order, &confirmed).await?;
    Ok(Confirmed { order: confirmed, listing })
}

fn token_required(app: &App, listing: &Listing, sku: Sku) -> Problem {
    let detail = "An invitation led to this demo. To confirm it, send the `access_token` or the discount code that \
        leave_feedback returned.";
    let problem = Problem::new(Code::TokenRequired, detail).with_field("access_token");
    let note = "A demo without `source` counts as real, without a confirmation, but only for a Live listing.";
    if !listing.is_live(app.oldest_proof()) {
        return problem.with_next(NextStep::check_status(&app.settings.base_url, &listing.id, note));
    }
    let body = json!({ "listing_id": listing.id, "sku": sku });
    problem.with_next(NextStep::post("take_demo", app.settings.url("/api/products/demo"), body, note))
}

pub(super) fn order_not_found(app: &App, order_id: &str) -> Problem {
    let detail = format!("Unknown order `{}`.", shorten(order_id, 60));
    let note = "Send {\"listing_id\": …}. The response contains the order_id.";
    Problem::new(Code::OrderNotFound, detail).with_next(NextStep::take_demo(
        &app.settings.base_url,
        None,
        note,
    ))
}
