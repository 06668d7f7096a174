//! The funnel that every Live listing is led through: Live, demo, feedback, founding seat or discount. Derived
//! when it is shown; only the seat counter is kept.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Kind, Listing};
use crate::settings::Settings;

/// The steps of the funnel (contract "`take_demo` object").
const FUNNEL: [&str; 5] = ["active_live", "demo", "feedback", "free_full_or_25pct", "use_no_stripe"];

/// The founding offer (contract "Deal").
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Deal {
    /// `founding_free_100`.
    pub name: &'static str,
    /// Seats in all.
    pub seats: u32,
    /// Seats taken.
    pub claimed: u32,
    /// Seats left.
    pub remaining: u32,
    /// 100: the product is free.
    pub percent_off: u32,
    /// No checkout is involved.
    pub no_stripe: bool,
    /// The way to a seat, step by step.
    pub path: Vec<String>,
    /// One sentence.
    pub one_liner: String,
    /// A few words.
    pub short: String,
    /// Who may have it.
    pub for_active: String,
}

/// The offer as one listing sees it (contract "Deal", per-listing copies).
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct ListingDeal {
    /// Seats left.
    pub founding_free_seats: u32,
    /// What to do for one.
    pub message: String,
    pub take_demo_url: String,
    pub take_demo_body: DemoBody,
    pub curl: String,
}

/// The body of a demo request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct DemoBody {
    pub listing_id: String,
    pub kind: Kind,
    pub name: String,
    pub sku: &'static str,
    /// Its card or endpoint.
    pub agent_card_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A demo, ready to be asked for (contract "`take_demo` object").
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct TakeDemo {
    /// What this is.
    pub name: String,
    /// What comes of it.
    pub description: String,
    pub listing_id: String,
    pub kind: Kind,
    pub sku: &'static str,
    /// `POST`.
    pub method: &'static str,
    pub url: String,
    pub headers: Headers,
    pub body: DemoBody,
    pub curl: String,
    pub deal: Deal,
    /// What comes after the demo.
    pub next_after_demo: AfterDemo,
    pub funnel: [&'static str; 5],
}

/// Headers of a JSON request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Headers {
    /// What is sent.
    pub content_type: &'static str,
    /// What is taken back.
    pub accept: &'static str,
}

/// The step after the demo.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct AfterDemo {
    /// `feedback`.
    pub step: &'static str,
    /// `POST`.
    pub method: &'static str,
    pub url: String,
    /// How.
    pub note: &'static str,
}

/// A stage of a listing's life (contract "Active list envelope").
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Stage {
    /// `list`, `live`, `demo`, `feedback`, `discount` or `buy`.
    pub id: &'static str,
    /// For people.
    pub label: &'static str,
    /// What an agent does there.
    pub agent_action: String,
}

/// The six stages in order.
#[must_use]
pub fn stages(settings: &Settings) -> Vec<Stage> {
    let stage = |id, label, agent_action: String| Stage { id, label, agent_action };
    vec![
        stage("list", "List", format!("POST {} {{\"url\": \"<card URL>\"}}", settings.url("/api/publish"))),
        stage(
            "live",
            "Live",
            format!("GET {} until lane=active", settings.url("/api/listings/status?id=<listing_id>")),
        ),
        stage(
            "demo",
            "Demo",
            format!("POST {} {{\"listing_id\": \"<listing_id>\"}}", settings.url("/api/products/demo")),
        ),
        stage(
            "feedback",
            "Feedback",
            format!("POST {} with the demo's example_body", settings.url("/api/products/feedback")),
        ),
        stage(
            "discount",
            "Discount",
            "Keep the code that feedback answers once the founding seats are gone.".to_owned(),
        ),
        stage(
            "buy",
            "Buy",
            format!(
                "Wait until payments open, after {} feedback from agents and {0} from MCP servers.",
                settings.payments_open_after
            ),
        ),
    ]
}

/// The founding offer, of which `claimed` seats are taken.
#[must_use]
pub fn deal(settings: &Settings, claimed: u32) -> Deal {
    let seats = settings.founding_seats;
    let remaining = seats.saturating_sub(claimed);
    Deal {
        name: "founding_free_100",
        seats,
        claimed,
        remaining,
        percent_off: 100,
        no_stripe: true,
        path: ["Be Live", "Take the demo", "Send feedback", "Receive an access token"]
            .map(str::to_owned)
            .to_vec(),
        one_liner: format!(
            "The first {seats} listings to finish demo and feedback receive a full product, free and without checkout."
        ),
        short: format!("{remaining} of {seats} founding seats left"),
        for_active: "Any Live listing, agent or MCP server; one seat each.".to_owned(),
    }
}

/// The product a listing is shown.
const fn sku(kind: Kind) -> &'static str {
    match kind {
        Kind::Agent => "alive",
        Kind::Mcp => "mcp_mesh",
    }
}

/// What a listing would send for its demo.
fn demo_body(listing: &Listing) -> DemoBody {
    let kind = listing.shown_kind();
    DemoBody {
        listing_id: listing.id.to_string(),
        kind,
        name: listing.name.clone(),
        sku: sku(kind),
        agent_card_url: listing.shown_card_url().to_owned(),
        description: listing.description.clone(),
    }
}

/// The demo of a listing, ready to be asked for.
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
        sku: sku(kind),
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

/// The founding offer as one listing sees it.
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
