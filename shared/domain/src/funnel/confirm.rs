//! Confirming an invited demo. Whoever gives an access token with it must hold that of the same listing.

use http::StatusCode;
use serde_json::json;

use super::access::bad_token;
use registry_app::App;
use registry_model::error::{Problem, shorten};
use registry_model::{AccessToken, GrantSubject, Listing, Order, OrderId};

/// A demo that counts as real.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// Its order.
    pub order: Order,
    /// Whose it is.
    pub listing: Listing,
}

/// Confirms the demo of an order; one that followed no invitation needs none and stays as it is.
///
/// # Errors
/// 404 for an order that is not known, 401 for a token of somebody else, or the table is busy.
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

/// 404: no order of that id.
pub(super) fn order_not_found(app: &App, asked: &str) -> Problem {
    let detail = format!("No order `{}` is known here.", shorten(asked, 60));
    Problem::new(StatusCode::NOT_FOUND, "order_not_found", detail).with_next(json!({
        "action": "take_demo", "method": "POST", "url": app.settings.url("/api/products/demo"), "tool": "take_demo",
        "note": "Send {\"listing_id\": …}; the answer holds its order_id.",
    }))
}
