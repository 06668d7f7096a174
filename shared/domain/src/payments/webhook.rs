//! Handles Stripe's payment events after it has checked their signatures. An event may arrive late, twice or
//! out of order, so each change is one conditional transaction. If an event is a repetition or does not
//! belong to a purchase of this registry, it is acknowledged and changes nothing.

use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::{refusals, sessions, signature};
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{
    FeedItem, Grant, GrantSource, GrantSubject, Moment, PaymentSession, Purchase, PurchaseId,
};
use registry_store::{PaymentEvent, PaymentOutcome, StoredPurchase};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    Paid,
    Ended,
    SeenBefore,
    /// It is not about a purchase of this registry, or changes nothing.
    Ignored,
}

impl Received {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Ended => "ended",
            Self::SeenBefore => "seen_before",
            Self::Ignored => "ignored",
        }
    }
}

#[derive(Deserialize)]
struct Event {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    object: Value,
}

#[derive(Deserialize)]
struct Session {
    id: String,
    client_reference_id: Option<String>,
    payment_status: Option<String>,
    amount_total: Option<i64>,
    currency: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SessionEnd {
    Completed,
    Unpaid,
}

/// Handles an event of Stripe. Errors: 503 without a webhook secret, 403 bad signature, 400 unreadable event; Stripe
/// then sends the event again.
pub async fn receive(app: &App, signature: Option<&str>, body: &[u8]) -> Result<Received, Problem> {
    let secret = app.settings.stripe_webhook_secret.as_ref().ok_or_else(refusals::not_configured)?;
    let now = app.clock.now();
    signature::verify(secret, signature, body, now).map_err(|error| {
        Problem::new(StatusCode::FORBIDDEN, "bad_signature", format!("Invalid webhook signature: {error}."))
    })?;
    let event: Event =
        serde_json::from_slice(body).map_err(|_| Problem::malformed("The body is not a Stripe event."))?;
    let end_state = match event.kind.as_str() {
        "checkout.session.completed" | "checkout.session.async_payment_succeeded" => SessionEnd::Completed,
        "checkout.session.expired" | "checkout.session.async_payment_failed" => SessionEnd::Unpaid,
        _ => return Ok(Received::Ignored),
    };
    let session: Session = serde_json::from_value(event.data.object)
        .map_err(|_| Problem::malformed("The event contains no Checkout Session."))?;
    // The Stripe account may sell other things too.
    let Some(id) = session.client_reference_id.as_deref().and_then(|id| id.parse::<PurchaseId>().ok()) else {
        return Ok(Received::Ignored);
    };
    let Some(stored) = app.store.purchase(&id).await? else { return Ok(Received::Ignored) };
    let event = PaymentEvent { id: &event.id, at: now };
    match end_state {
        SessionEnd::Completed => pay(app, &stored.purchase, &session, event).await,
        SessionEnd::Unpaid => end(app, &stored, &session, event).await,
    }
}

async fn pay(
    app: &App,
    purchase: &Purchase,
    session: &Session,
    event: PaymentEvent<'_>,
) -> Result<Received, Problem> {
    if session.payment_status.as_deref() != Some("paid") {
        return Ok(Received::Ignored);
    }
    let is_full_amount = session.amount_total == Some(i64::from(purchase.amount_cents))
        && session.currency.as_deref() == Some(sessions::CURRENCY);
    if !is_full_amount {
        tracing::error!(purchase_id = %purchase.id, "the paid amount differs from the price of the purchase; \
            no access was given");
        return Ok(Received::Ignored);
    }
    let source = GrantSource::Purchase { id: purchase.id.clone(), paid_at: Some(event.at) };
    let paid = Grant { source, ..purchase.grant.clone() };
    Ok(match app.store.pay_purchase(purchase, &paid, event, &news(purchase, event.at)).await? {
        PaymentOutcome::Done => Received::Paid,
        PaymentOutcome::SeenBefore => Received::SeenBefore,
    })
}

/// Ends a purchase if the event is about the page that was shown to the buyer.
async fn end(
    app: &App,
    stored: &StoredPurchase,
    session: &Session,
    event: PaymentEvent<'_>,
) -> Result<Received, Problem> {
    let is_its_page = stored.session.as_ref().is_some_and(|PaymentSession { id, .. }| *id == session.id);
    if !is_its_page {
        return Ok(Received::Ignored);
    }
    Ok(match app.store.end_purchase(&stored.purchase, event).await? {
        PaymentOutcome::Done => Received::Ended,
        PaymentOutcome::SeenBefore => Received::SeenBefore,
    })
}

/// The buyer is not named: anyone may buy a product for a listing, and an unlisted subject is private.
fn news(purchase: &Purchase, at: Moment) -> FeedItem {
    let title = purchase.grant.sku.title();
    let (listing_id, text) = match (&purchase.grant.subject, &purchase.listing_name) {
        (GrantSubject::Listing(id), Some(name)) => {
            (Some(id.clone()), format!("The {title} product was bought for {name}."))
        }
        _ => (None, format!("The {title} product was bought.")),
    };
    let name = purchase.listing_name.clone().unwrap_or_else(|| title.to_owned());
    FeedItem { what: "product_bought".to_owned(), at, listing_id, kind: None, name, text }
}
