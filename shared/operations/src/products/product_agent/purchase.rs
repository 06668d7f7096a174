//! What a purchase would be, before and after payments open. It is kept nowhere: the caller keeps the body that the
//! checkout takes.

use crate::prelude::*;
use registry_domain::funnel::{self, Unlock};
use registry_model::Sku;
use registry_model::settings::Settings;
use registry_store::FunnelCounts;

/// A purchase as it would be.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PurchaseOrder {
    /// `waits_for_payments` until payments open, then `ready_for_checkout`.
    status: &'static str,
    sku: Sku,
    price_cents: u32,
    price: String,
    goals: Vec<String>,
    /// What to send to the checkout once payments are open.
    #[schemars(with = "Map<String, Value>")]
    body: Value,
    /// What to do meanwhile.
    message: String,
}

/// The purchase of a product, and the step to it.
pub(super) fn of(
    settings: &Settings,
    sku: Sku,
    goals: Vec<String>,
    counts: &FunnelCounts,
    unlock: &Unlock,
) -> (PurchaseOrder, NextStep) {
    let (status, message, next) =
        if unlock.payments_open { ready(settings) } else { waiting(settings, counts, unlock) };
    let order = PurchaseOrder {
        status,
        sku,
        price_cents: sku.price_cents(),
        price: sku.price(),
        body: json!({ "sku": sku, "goals": goals }),
        goals,
        message,
    };
    (order, next)
}

fn ready(settings: &Settings) -> (&'static str, String, NextStep) {
    let note = "Send order.body; a discount code goes with it as `code`.";
    let next = NextStep::post_own("checkout", settings.url("/api/products/checkout"), note);
    ("ready_for_checkout", "Payments are open: send order.body to the checkout.".to_owned(), next)
}

fn waiting(settings: &Settings, counts: &FunnelCounts, unlock: &Unlock) -> (&'static str, String, NextStep) {
    let brings = match funnel::deal(settings, counts.seats_claimed).remaining {
        0 => "feedback after the demo brings a code for 25 percent off".to_owned(),
        seats => format!("feedback after the demo brings the product free ({seats} founding seats are left)"),
    };
    let message = format!(
        "Nothing is charged, and nothing is kept here: keep order.body. {} Until then {brings}.",
        unlock.message
    );
    let note = "Send {\"listing_id\": …} of a Live listing, then its feedback.";
    let next = NextStep::post_own("take_demo", settings.url("/api/products/demo"), note);
    ("waits_for_payments", message, next)
}
