//! A demo, ready to be asked for, as rows and status show it (contract "`take_demo` object"). Derived when it is shown.

use schemars::JsonSchema;
use serde::Serialize;

use super::deal::Deal;
use registry_model::settings::Settings;
use registry_model::{Kind, Listing, Sku};

/// The steps of the funnel (contract "`take_demo` object").
const FUNNEL: [&str; 5] = ["active_live", "demo", "feedback", "free_full_or_25pct", "use_no_stripe"];

/// The body of a demo request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DemoBody {
    pub listing_id: String,
    pub kind: Kind,
    pub name: String,
    pub sku: Sku,
    /// The URL of its card or endpoint.
    pub agent_card_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A demo request, ready to be sent (contract "`take_demo` object").
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TakeDemo {
    /// What the request is for.
    pub name: String,
    /// What the demo produces.
    pub description: String,
    pub listing_id: String,
    pub kind: Kind,
    pub sku: Sku,
    /// `POST`.
    pub method: &'static str,
    pub url: String,
    pub headers: Headers,
    pub body: DemoBody,
    pub curl: String,
    pub deal: Deal,
    /// The step after the demo.
    pub next_after_demo: AfterDemo,
    pub funnel: [&'static str; 5],
}

/// Headers of the request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Headers {
    /// The media type of the body.
    pub content_type: &'static str,
    /// The media type of the answer.
    pub accept: &'static str,
}

/// The step after the demo.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AfterDemo {
    /// `feedback`.
    pub step: &'static str,
    /// `POST`.
    pub method: &'static str,
    pub url: String,
    /// How to take the step.
    pub note: &'static str,
}

/// The founding offer for one listing (contract "Deal", per-listing copies).
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListingDeal {
    /// Seats left.
    pub founding_free_seats: u32,
    /// How to claim a seat.
    pub message: String,
    pub take_demo_url: String,
    pub take_demo_body: DemoBody,
    pub curl: String,
}

fn demo_body(listing: &Listing) -> DemoBody {
    let kind = listing.shown_kind();
    DemoBody {
        listing_id: listing.id.to_string(),
        kind,
        name: listing.name.clone(),
        sku: Sku::of_kind(kind),
        agent_card_url: listing.shown_card_url().to_owned(),
        description: listing.description.clone(),
    }
}

#[must_use]
pub fn take_demo(listing: &Listing, settings: &Settings, deal: &Deal) -> TakeDemo {
    let kind = listing.shown_kind();
    let url = settings.url("/api/products/demo");
    TakeDemo {
        name: format!("Free demo for {}", listing.name),
        description: "Makes artifacts from this listing's own card and probe evidence; free, no account."
            .to_owned(),
        listing_id: listing.id.to_string(),
        kind,
        sku: Sku::of_kind(kind),
        method: "POST",
        headers: Headers { content_type: "application/json", accept: "application/json" },
        body: demo_body(listing),
        curl: curl(listing, &url),
        url,
        deal: deal.clone(),
        next_after_demo: AfterDemo {
            step: "feedback",
            method: "POST",
            url: settings.url("/api/products/feedback"),
            note: "Send next_steps.example_body of the demo's answer, with your own answers in it.",
        },
        funnel: FUNNEL,
    }
}

#[must_use]
pub fn listing_deal(listing: &Listing, settings: &Settings, deal: &Deal) -> ListingDeal {
    let url = settings.url("/api/products/demo");
    ListingDeal {
        founding_free_seats: deal.remaining,
        message: format!("{}. Take the demo, then send feedback.", deal.short),
        take_demo_body: demo_body(listing),
        curl: curl(listing, &url),
        take_demo_url: url,
    }
}

fn curl(listing: &Listing, url: &str) -> String {
    format!(
        "curl -X POST {url} -H 'content-type: application/json' -d '{{\"listing_id\":\"{}\"}}'",
        listing.id
    )
}
