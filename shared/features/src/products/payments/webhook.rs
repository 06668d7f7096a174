//! Handles Stripe's payment events after it has checked their signatures. An event may arrive late, twice or
//! out of order, so each change is one conditional transaction. If an event is a repetition or does not
//! belong to a purchase of this registry, it is acknowledged and changes nothing.

use crate::prelude::*;
use crate::products::payments::{refusals, sessions, signature};
use registry_model::{
    Grant, GrantSource, GrantSubject, PaymentFlag, Purchase, PurchaseId, PurchaseState, string_enum,
};
use registry_store::{PaymentEvent, PaymentOutcome, StoredPurchase};

string_enum! {
    pub enum Received {
        Paid = "paid",
        Ended = "ended",
        /// The operator must look at the purchase. A refund or a lost dispute has closed it.
        Flagged = "flagged",
        SeenBefore = "seen_before",
        /// It is not about a purchase of this registry, or changes nothing.
        Ignored = "ignored",
    }
}

/// An event of Stripe.
#[derive(Deserialize, JsonSchema)]
pub struct Event {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    livemode: Option<bool>,
    data: Data,
}

#[derive(Deserialize, JsonSchema)]
struct Data {
    object: Value,
}

#[derive(Deserialize)]
struct Session {
    id: String,
    client_reference_id: Option<String>,
    payment_intent: Option<String>,
    payment_status: Option<String>,
    amount_total: Option<i64>,
    currency: Option<String>,
}

/// A charge or a dispute.
#[derive(Deserialize)]
struct Reversal {
    payment_intent: Option<String>,
    /// Of a charge: whether all of it was refunded.
    #[serde(default)]
    refunded: bool,
    /// Of a dispute: `won`, `lost`, `warning_closed` and others.
    status: Option<String>,
    /// Stripe copies the metadata of a payment to its charge, but not to a dispute.
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Metadata {
    purchase_id: Option<String>,
}

enum News {
    Completed(Session),
    Unpaid(Session),
    Reversed(PaymentFlag, Reversal),
}

/// Handles an event of Stripe. Errors: 503 without a webhook secret, 403 bad signature, 400 unreadable event; Stripe
/// then sends the event again.
pub async fn receive(app: &App, signature: Option<&str>, body: &[u8]) -> Result<Received, Problem> {
    let secret = app.settings.stripe_webhook_secret.as_ref().ok_or_else(refusals::not_configured)?;
    let now = app.clock.now();
    signature::verify(secret, signature, body, now).map_err(|error| {
        Problem::new(Code::BadSignature, format!("Invalid webhook signature: {error}."))
            .as_kind(ErrorKind::Forbidden)
    })?;
    let event: Event =
        serde_json::from_slice(body).map_err(|_| Problem::malformed("The body is not a Stripe event."))?;
    let Some(news) = parsed_news(&event.kind, event.data.object)? else { return Ok(Received::Ignored) };
    // The Stripe account may sell other things too.
    let Some(id) = purchase_of(app, &news).await? else { return Ok(Received::Ignored) };
    let Some(stored) = app.store.purchase(&id).await? else { return Ok(Received::Ignored) };
    let is_other_mode = stored.purchase.is_live.is_some_and(|is_live| event.livemode != Some(is_live));
    let event = PaymentEvent { id: &event.id, at: now };
    if is_other_mode {
        return flag(app, &stored.purchase, PaymentFlag::WrongMode, event, false).await;
    }
    match news {
        News::Completed(session) => pay(app, &stored, &session, event).await,
        News::Unpaid(session) => end(app, &stored, &session, event).await,
        News::Reversed(reason, reversal) => {
            let close = matches!(reason, PaymentFlag::Refunded | PaymentFlag::DisputeLost)
                && !is_second_payment(app, &stored, &reversal).await?;
            flag(app, &stored.purchase, reason, event, close).await
        }
    }
}

fn parsed_news(kind: &str, object: Value) -> Result<Option<News>, Problem> {
    let session = |object| {
        serde_json::from_value::<Session>(object)
            .map_err(|_| Problem::malformed("The event contains no Checkout Session."))
    };
    let reversal = |object| {
        serde_json::from_value::<Reversal>(object)
            .map_err(|_| Problem::malformed("The event contains no charge and no dispute."))
    };
    Ok(Some(match kind {
        "checkout.session.completed" | "checkout.session.async_payment_succeeded" => {
            News::Completed(session(object)?)
        }
        "checkout.session.expired" | "checkout.session.async_payment_failed" => {
            News::Unpaid(session(object)?)
        }
        "charge.refunded" => {
            let charge = reversal(object)?;
            let flag = if charge.refunded { PaymentFlag::Refunded } else { PaymentFlag::PartlyRefunded };
            News::Reversed(flag, charge)
        }
        "charge.dispute.created" => News::Reversed(PaymentFlag::Disputed, reversal(object)?),
        "charge.dispute.closed" => {
            let dispute = reversal(object)?;
            let is_lost = dispute.status.as_deref() == Some("lost");
            News::Reversed(if is_lost { PaymentFlag::DisputeLost } else { PaymentFlag::DisputeWon }, dispute)
        }
        _ => return Ok(None),
    }))
}

async fn purchase_of(app: &App, news: &News) -> Result<Option<PurchaseId>, Problem> {
    let parsed = |id: &Option<String>| id.as_deref().and_then(|id| id.parse().ok());
    Ok(match news {
        News::Completed(session) | News::Unpaid(session) => parsed(&session.client_reference_id),
        News::Reversed(_, reversal) => {
            match (parsed(&reversal.metadata.purchase_id), &reversal.payment_intent) {
                (None, Some(payment)) => app.store.purchase_of_payment(payment).await?,
                (id, _) => id,
            }
        }
    })
}

async fn flag(
    app: &App,
    purchase: &Purchase,
    flag: PaymentFlag,
    event: PaymentEvent<'_>,
    close: bool,
) -> Result<Received, Problem> {
    tracing::error!(purchase_id = %purchase.id, flag = flag.as_str(), "the operator must look at a purchase");
    Ok(match app.store.flag_purchase(purchase, flag, event, close).await? {
        PaymentOutcome::Done => Received::Flagged,
        _ => Received::SeenBefore,
    })
}

/// Opens a purchase. Whoever knows the id of a purchase can name it in another payment of the same Stripe account. So
/// only a payment on the page of the purchase, with its price, counts.
async fn pay(
    app: &App,
    stored: &StoredPurchase,
    session: &Session,
    event: PaymentEvent<'_>,
) -> Result<Received, Problem> {
    let purchase = &stored.purchase;
    if session.payment_status.as_deref() != Some("paid") {
        return Ok(Received::Ignored);
    }
    if !is_its_page(stored, session) {
        let is_second = stored.state == PurchaseState::Paid;
        let reason = if is_second { PaymentFlag::PaidTwice } else { PaymentFlag::WrongPage };
        return flag(app, purchase, reason, event, false).await;
    }
    let is_full_amount = session.amount_total == Some(i64::from(purchase.amount_cents))
        && session.currency.as_deref() == Some(sessions::CURRENCY);
    if !is_full_amount {
        return flag(app, purchase, PaymentFlag::WrongAmount, event, false).await;
    }
    let source = GrantSource::Purchase { id: purchase.id.clone(), paid_at: Some(event.at) };
    let paid = Grant { source, ..purchase.grant.clone() };
    let (payment, news) = (session.payment_intent.as_deref(), news(purchase, event.at));
    match app.store.pay_purchase(purchase, &paid, payment, event, &news).await? {
        PaymentOutcome::Done => Ok(Received::Paid),
        PaymentOutcome::SeenBefore => match app.store.purchase(&purchase.id).await? {
            // Repetitions of an event are not flagged again.
            Some(now) if now.state == PurchaseState::Closed => {
                flag(app, purchase, PaymentFlag::PaidClosed, event, false).await
            }
            _ => Ok(Received::SeenBefore),
        },
        PaymentOutcome::CodeNotValid => flag(app, purchase, PaymentFlag::CodeNotValid, event, false).await,
    }
}

/// Whether a purchase is paid, and this is about another payment for it, such as one that was made twice.
async fn is_second_payment(app: &App, stored: &StoredPurchase, reversal: &Reversal) -> Result<bool, Problem> {
    let Some(payment) = reversal.payment_intent.as_deref() else { return Ok(false) };
    let is_paid = stored.state == PurchaseState::Paid;
    Ok(is_paid && app.store.purchase_of_payment(payment).await?.as_ref() != Some(&stored.purchase.id))
}

/// Whether the event is about the page that was shown to the buyer.
fn is_its_page(stored: &StoredPurchase, session: &Session) -> bool {
    stored.session.as_ref().is_some_and(|page| page.id == session.id)
}

async fn end(
    app: &App,
    stored: &StoredPurchase,
    session: &Session,
    event: PaymentEvent<'_>,
) -> Result<Received, Problem> {
    if !is_its_page(stored, session) {
        return Ok(Received::Ignored);
    }
    Ok(match app.store.end_purchase(&stored.purchase, event).await? {
        PaymentOutcome::Done => Received::Ended,
        _ => Received::SeenBefore,
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
    FeedItem { what: "product_bought".to_owned(), at, listing_id, kind: None, name, text, severity: None }
}
