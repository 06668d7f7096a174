//! Creates the payment page of a purchase: one Checkout Session in Stripe's HTTP API. The idempotency key is
//! the id of the purchase. So a retry after a lost answer does not create a second page.

use std::time::Duration;

use bytes::Bytes;
use form_urlencoded::Serializer;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use url::Url;

use crate::prelude::*;
use registry_fetch::{Answer, Follow, Request, Target};
use registry_model::{GrantSubject, PaymentSession, Purchase, Secret};

/// Stripe usually answers within two seconds; a function has 29.
const DEADLINE: Duration = Duration::from_secs(10);

/// A session has a few kilobytes.
const MAX_ANSWER_BYTES: usize = 256 * 1024;

const MAX_JSON_VALUES: usize = 10_000;

pub(super) const CURRENCY: &str = "usd";

#[derive(Debug)]
pub(super) enum SessionFailure {
    /// No answer, or Stripe is busy: a retry with the same key may succeed.
    NoAnswer(Source),
    /// Stripe failed. It repeats that answer for the same key, so only another purchase can succeed.
    Failed(Source),
    /// Stripe rejected the request or the key: the cause is our request or the settings.
    Refused(Source),
}

pub(super) async fn open(
    app: &App,
    key: &Secret,
    purchase: &Purchase,
    email: Option<&str>,
) -> Result<PaymentSession, SessionFailure> {
    let url = format!("{}/v1/checkout/sessions", app.settings.stripe_api_url);
    let target = Target::parse(&url, app.fetcher.reach())
        .map_err(|error| SessionFailure::Refused(During::new("the address of Stripe", error).into()))?;
    let request = Request {
        method: Method::POST,
        headers: headers(key, purchase).ok_or_else(|| SessionFailure::Refused("the key".into()))?,
        body: Some(Bytes::from(form(&app.settings, purchase, email))),
        deadline: DEADLINE,
        max_bytes: MAX_ANSWER_BYTES,
        follow: Follow::Never,
        ..Request::get(target)
    };
    match app.fetcher.send(request).await {
        Ok(answer) => session(&answer),
        Err(error) => Err(SessionFailure::NoAnswer(error.into())),
    }
}

fn headers(key: &Secret, purchase: &Purchase) -> Option<HeaderMap> {
    let mut bearer = HeaderValue::try_from(format!("Bearer {}", key.reveal())).ok()?;
    bearer.set_sensitive(true);
    let mut headers = HeaderMap::from_iter([
        (AUTHORIZATION, bearer),
        (CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded")),
    ]);
    headers.insert("idempotency-key", HeaderValue::try_from(purchase.id.as_str()).ok()?);
    // Without it, Stripe uses the default version of the account.
    headers.insert("stripe-version", HeaderValue::from_static("2025-09-30.clover"));
    Some(headers)
}

/// The same purchase always produces the same bytes: Stripe rejects a key that is sent again with another body.
fn form(settings: &Settings, purchase: &Purchase, email: Option<&str>) -> String {
    let (id, sku) = (purchase.id.as_str(), purchase.grant.sku);
    let back = settings.url(&format!("/api/products/checkout?purchase_id={id}"));
    let mut form = Serializer::new(String::new());
    form.append_pair("mode", "payment")
        // Card payments settle immediately; and the specification names cards.
        .append_pair("payment_method_types[0]", "card")
        // The webhook compares amount and currency, so Stripe must not convert.
        .append_pair("adaptive_pricing[enabled]", "false")
        .append_pair("line_items[0][quantity]", "1")
        .append_pair("line_items[0][price_data][currency]", CURRENCY)
        .append_pair("line_items[0][price_data][unit_amount]", &purchase.amount_cents.to_string())
        .append_pair("line_items[0][price_data][product_data][name]", sku.title())
        .append_pair("client_reference_id", id)
        .append_pair("metadata[purchase_id]", id)
        .append_pair("metadata[sku]", sku.as_str());
    if let GrantSubject::Listing(listing) = &purchase.grant.subject {
        form.append_pair("metadata[listing_id]", listing.as_str());
    }
    form.append_pair("payment_intent_data[metadata][purchase_id]", id)
        .append_pair("success_url", &back)
        .append_pair("cancel_url", &back)
        .append_pair("expires_at", &purchase.expires_at.as_second().to_string());
    if let Some(email) = email {
        form.append_pair("customer_email", email);
    }
    form.finish()
}

fn session(answer: &Answer) -> Result<PaymentSession, SessionFailure> {
    if answer.status == StatusCode::OK {
        let session = serde_json::from_slice(&answer.body).ok().filter(is_valid);
        return session.ok_or_else(|| SessionFailure::Failed("no session in the answer".into()));
    }
    let error = error_codes(answer).into();
    Err(match answer.status {
        // Another request with this key is in progress, or there were too many: neither was executed.
        StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS => SessionFailure::NoAnswer(error),
        status if status.is_server_error() => SessionFailure::Failed(error),
        _ => SessionFailure::Refused(error),
    })
}

fn is_valid(session: &PaymentSession) -> bool {
    session.id.starts_with("cs_")
        && session.id.len() <= 255
        && session.url.len() <= 4096
        && Url::parse(&session.url)
            .is_ok_and(|url| matches!(url.scheme(), "https" | "http") && url.has_host())
}

/// The status and Stripe's error codes. Not its message, which may repeat what was sent.
fn error_codes(answer: &Answer) -> String {
    let body = answer.json(&mut MAX_JSON_VALUES.clone()).unwrap_or(Value::Null);
    let codes = ["type", "code", "param"].map(|name| body["error"][name].as_str().unwrap_or("-").to_owned());
    shorten(&format!("{} {}", answer.status.as_u16(), codes.join(" ")), 200)
}

/// The latest time at which Stripe accepts this session as a new one: a session must last at least 30 minutes.
pub(super) fn latest_opening(purchase: &Purchase) -> Moment {
    purchase.expires_at - jiff::SignedDuration::from_mins(35)
}

#[cfg(test)]
mod tests;
