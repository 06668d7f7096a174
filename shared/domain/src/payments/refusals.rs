//! What is said where nothing can be bought, and what to do then.

use http::StatusCode;
use serde_json::{Value, json};

use crate::funnel::Unlock;
use registry_model::error::{Problem, shorten};
use registry_model::settings::Settings;
use registry_store::DiscountUse;

/// Seconds to wait when Stripe did not answer.
const RETRY_AFTER: u32 = 5;

pub(super) fn not_open(settings: &Settings, meter: &Unlock) -> Problem {
    let problem = Problem::new(StatusCode::CONFLICT, "payments_not_open", meter.message.clone());
    problem.with("unlock", serde_json::to_value(meter).unwrap_or(Value::Null)).with_next(json!({
        "action": "take_demo", "method": "POST", "url": settings.url("/api/products/demo"),
        "note": "Until then the demo is free, and feedback after it brings a founding seat while any is left.",
    }))
}

pub(super) fn not_configured() -> Problem {
    let detail = "Payments are open, but this registry is not set up to take any. Its operator sets STRIPE_SECRET_KEY \
                  and STRIPE_WEBHOOK_SECRET; founding seats and demos need neither.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "payments_not_configured", detail)
}

pub(super) fn provider_away(said: &str) -> Problem {
    let detail = "The payment provider does not answer at the moment. Nothing was charged; send the same request again.";
    let mut problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "payments_unavailable", detail);
    problem.retry_after = Some(RETRY_AFTER);
    problem.internal = Some(format!("Stripe: {said}").into());
    problem
}

pub(super) fn provider_refused(said: &str) -> Problem {
    let detail = "The payment provider refused to open a payment: this registry's account with it needs its operator. \
                  Nothing was charged.";
    let mut problem = Problem::new(StatusCode::BAD_GATEWAY, "payments_refused", detail);
    problem.internal = Some(format!("Stripe: {said}").into());
    problem
}

pub(super) fn key_reused() -> Problem {
    let detail =
        "This `idempotency_key` began another purchase. Send the same request again, or another key.";
    Problem::invalid("idempotency_key", "idempotency_key_reused", detail)
}

pub(super) fn unknown_code() -> Problem {
    Problem::invalid("code", "unknown_code", "`code` is none of this registry's. Check how it is written.")
}

pub(super) fn code_of_another() -> Problem {
    let detail = "`code` is for the listing whose feedback brought it. Send that listing's `listing_id`.";
    Problem::invalid("code", "code_of_another", detail)
}

pub(super) fn code_taken(usage: Option<&DiscountUse>) -> Problem {
    let conflict = |code, detail: String| {
        let mut problem = Problem::new(StatusCode::CONFLICT, code, detail);
        problem.field = Some("code".to_owned());
        problem
    };
    match usage {
        Some(DiscountUse::Held(_, until)) => conflict(
            "code_held",
            format!(
                "`code` is held by a purchase that is not paid yet, until {until} at the latest. Pay that one (the \
                 request that began it is answered the same again), or come back then."
            ),
        )
        .with("held_until", until.to_string()),
        Some(DiscountUse::Free) => conflict("code_held", "`code` was held a moment ago. Send it again.".to_owned()),
        _ => conflict("code_used", "`code` was used already: each is good for one purchase.".to_owned()),
    }
}

pub(super) fn purchase_not_found(asked: &str) -> Problem {
    let detail =
        format!("No purchase `{}` is known here; an unpaid one is forgotten in time.", shorten(asked, 60));
    Problem::new(StatusCode::NOT_FOUND, "purchase_not_found", detail)
}
