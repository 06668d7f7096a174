//! The errors of payments. Each error states what is wrong and what to do.

use crate::funnel::{self, Unlock};
use crate::prelude::*;
use registry_store::DiscountUse;

pub(super) fn not_open(settings: &Settings, meter: &Unlock, rewarded: bool) -> Problem {
    let note = "The demo is free now. Send the `listing_id` of a Live listing. Its first feedback earns a founding seat (a \
        free product), if one is left for it, else a code for 25 % off.";
    let unlock = serde_json::to_value(meter).unwrap_or(Value::Null);
    let next = if rewarded {
        funnel::rewarded(settings)
    } else {
        NextStep::take_demo(&settings.base_url, None, note)
    };
    Problem::new(Code::PaymentsNotOpen, meter.message.clone()).with("unlock", unlock).with_next(next)
}

pub(super) fn not_configured() -> Problem {
    let detail = "This registry cannot take payments: its operator must set STRIPE_SECRET_KEY and \
                  STRIPE_WEBHOOK_SECRET. Demos and founding seats do not need payments.";
    Problem::new(Code::PaymentsNotConfigured, detail)
}

pub(super) fn provider_unavailable(error: Source) -> Problem {
    let detail = "The payment provider is not available. Nothing was charged; send the same request again.";
    let problem = Problem::new(Code::PaymentsUnavailable, detail).caused_by(During::new("Stripe", error));
    Problem { retry_after: Some(5), ..problem }
}

pub(super) fn provider_refused(error: Source) -> Problem {
    let detail = "The payment provider rejected the request. Nothing was charged; the operator of this registry must \
                  check its account.";
    Problem::new(Code::PaymentsRefused, detail).caused_by(During::new("Stripe", error))
}

pub(super) fn may_be_paid(until: Moment) -> Problem {
    let detail = format!(
        "The payment page of this purchase has expired, but a payment may still be confirmed until {until} at the \
         latest. Repeat the request later. If nobody has paid, another `idempotency_key` begins another purchase, but \
         a discount code stays reserved until then."
    );
    Problem::new(Code::PaymentMayFollow, detail).with("until", until.to_string())
}

pub(super) fn key_reused() -> Problem {
    let detail =
        "This `idempotency_key` belongs to another purchase. Repeat that request, or use another key.";
    Problem::invalid("idempotency_key", Code::IdempotencyKeyReused, detail)
}

pub(super) fn unknown_code() -> Problem {
    Problem::invalid("code", Code::UnknownCode, "Unknown discount code. Check the spelling.")
}

pub(super) fn code_of_another_listing() -> Problem {
    let detail = "`code` is only for the listing that earned it. Send the `listing_id` of that listing.";
    Problem::invalid("code", Code::CodeOfAnother, detail)
}

pub(super) fn code_taken(usage: &DiscountUse) -> Problem {
    let (code, detail) = match usage {
        DiscountUse::Held(_, until) => {
            let detail = format!(
                "`code` is reserved by an unpaid purchase until {until} at the latest. To pay that purchase \
                 before its page expires, repeat the request that started it. Otherwise try again after that time."
            );
            return Problem::new(Code::CodeHeld, detail)
                .with_field("code")
                .with("held_until", until.to_string());
        }
        DiscountUse::Free => (Code::CodeHeld, "`code` was reserved a moment ago. Try again."),
        DiscountUse::Used => {
            (Code::CodeUsed, "`code` was already used. Each code works for only one purchase.")
        }
    };
    Problem::new(code, detail).with_field("code")
}

pub(super) fn purchase_not_found(id: &str) -> Problem {
    let detail =
        format!("Unknown purchase `{}`. Unpaid purchases are deleted after some time.", shorten(id, 60));
    Problem::new(Code::PurchaseNotFound, detail)
}
