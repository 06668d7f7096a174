//! Confirming an invited demo. Whoever gives an access token with it must hold that of the same listing.

use http::StatusCode;
use serde_json::json;

use super::access::bad_token;
use registry_app::App;
use registry_model::error::{Problem, shorten};
use registry_model::{AccessToken, GrantSubject, Listing, Order, OrderId};

#[derive(Clone, Debug)]
pub struct Confirmed {
    pub order: Order,
    pub listing: Listing,
}

/// Confirms the demo of an order; an order without an invitation needs no confirmation and is returned unchanged.
/// Errors: 404 unknown order, 401 token of another listing.
pub async fn confirm(app: &App, order_id: &str, token: Option<&str>) -> Result<Confirmed, Problem> {
    let unknown = || order_not_found(app, order_id);
    let id: OrderId = order_id.parse().map_err(|_| unknown())?;
    let order = app.store.order(&id).await?.ok_or_else(unknown)?;
    if let Some(token) = token {
        let token: AccessToken = token.parse().map_err(|_| bad_token(app))?;
        let grant = app.store.grant(&token.digest()).await?.ok_or_else(|| bad_token(app))?;
        if grant.subject != GrantSubject::Listing(order.listing_id.clone()) {
            return Err(bad_token(app));
        }
    }
    let listing = app.store.listing(&order.listing_id).await?.ok_or_else(unknown)?;
    if order.is_real() {
        return Ok(Confirmed { order, listing });
    }
    let confirmed = Order { confirmed_at: Some(app.clock.now()), ..order };
    app.store.replace_order(&confirmed).await?;
    Ok(Confirmed { order: confirmed, listing })
}

pub(super) fn order_not_found(app: &App, asked: &str) -> Problem {
    let detail = format!("No order `{}` is known here.", shorten(asked, 60));
    Problem::new(StatusCode::NOT_FOUND, "order_not_found", detail).with_next(json!({
        "action": "take_demo", "method": "POST", "url": app.settings.url("/api/products/demo"), "tool": "take_demo",
        "note": "Send {\"listing_id\": …}; the answer holds its order_id.",
    }))
}
