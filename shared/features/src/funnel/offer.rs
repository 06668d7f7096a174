//! The founding offer, the stages of a listing, the demo request (`specification.md#deal`,
//! `specification.md#take-demo-object`), and the unlock meter, which shows how much feedback there is, and how much is needed
//! before payments open (`specification.md#payments`). This module stores nothing. It computes the values each time they are
//! shown.

use crate::prelude::*;
use registry_settings::Mode;
use registry_store::FunnelCounts;

/// What can have one founding seat. In development, peers are on one machine, so each listing can.
pub fn seat_holder(settings: &Settings) -> &'static str {
    if settings.mode == Mode::Development { "listing" } else { "domain" }
}

/// The founding offer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Deal {
    /// `founding_free_100`.
    pub name: &'static str,
    /// The number of all seats.
    pub seats: u32,
    /// The number of seats that are taken.
    pub claimed: u32,
    /// The number of seats that are left.
    pub remaining: u32,
    /// 100: with a seat, the product is free.
    pub percent_off: u32,
    /// True: a seat needs no checkout.
    pub no_stripe: bool,
    /// The steps to get a seat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// The offer in one sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub one_liner: String,
    /// The offer in a few words.
    pub short: String,
    /// Who can claim a seat.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub for_active: String,
}

pub fn deal(settings: &Settings, claimed: u32) -> Deal {
    let seats = settings.founding_seats;
    let remaining = seats.saturating_sub(claimed);
    let (reward, for_active, one_liner) = match remaining {
        0 => (
            "Receive a discount code",
            "Any Live agent or MCP server can earn a code for 25 % off.".to_owned(),
            format!(
                "All {seats} founding seats are taken. Listings that take the demo and send feedback receive a code \
                 for 25 % off that works while payments are open."
            ),
        ),
        _ => (
            "Receive an access token",
            format!("Any Live agent or MCP server can claim a seat, one for each {}.", seat_holder(settings)),
            format!(
                "The first {seats} listings that take the demo and send feedback receive a full product, free and without \
                 checkout, one for each {}.",
                seat_holder(settings)
            ),
        ),
    };
    Deal {
        name: "founding_free_100",
        seats,
        claimed,
        remaining,
        percent_off: 100,
        no_stripe: true,
        path: ["Be Live", "Take the demo", "Send feedback", reward].map(str::to_owned).to_vec(),
        one_liner,
        short: format!("{remaining} of {seats} founding seats left"),
        for_active,
    }
}

/// A stage of a listing's life.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Stage {
    /// `list`, `live`, `demo`, `feedback`, `discount` or `buy`.
    pub id: &'static str,
    /// The label for people.
    pub label: &'static str,
    /// What an agent does in this stage.
    pub agent_action: String,
}

pub fn stages(settings: &Settings) -> Vec<Stage> {
    let (url, after) = (|path| settings.url(path), settings.payments_open_after);
    let stages = [
        ("list", "List", format!("POST {} {{\"url\": \"<card URL>\"}}", url("/api/publish"))),
        ("live", "Live", format!("GET {} while lane=queued", url("/api/listings/status?id=<listing_id>"))),
        ("demo", "Demo", format!("POST {} {{\"listing_id\": \"<listing_id>\"}}", url("/api/products/demo"))),
        (
            "feedback",
            "Feedback",
            format!(
                "POST {} with the example_body from the response to the demo",
                url("/api/products/feedback")
            ),
        ),
        (
            "discount",
            "Discount",
            "If your feedback gets no founding seat (a free product), it gets a discount code. Keep the code.".to_owned(),
        ),
        (
            "buy",
            "Buy",
            format!(
                "Once payments are open: POST {} {{\"sku\": \"<sku>\", \"listing_id\": \"<listing_id>\"}}. They open when \
                {after} agents and {after} MCP servers have sent feedback in their own words, and the operator allows payments.",
                url("/api/products/checkout")
            ),
        ),
    ];
    stages.map(|(id, label, agent_action)| Stage { id, label, agent_action }).to_vec()
}

/// The steps of the funnel (`specification.md#take-demo-object`).
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
}

/// A complete request for a demo.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TakeDemo {
    /// What the request is for.
    pub name: String,
    /// What the demo produces.
    pub description: &'static str,
    pub listing_id: String,
    pub kind: Kind,
    pub sku: Sku,
    /// `POST`.
    pub method: &'static str,
    pub url: String,
    pub headers: Headers,
    pub body: DemoBody,
    pub curl: String,
    /// Without the texts that are the same in each row.
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

/// The founding offer for one listing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListingDeal {
    /// The number of seats that are left.
    pub founding_free_seats: u32,
    /// How to claim a seat.
    pub message: String,
    pub take_demo_url: String,
    pub take_demo_body: Map<String, Value>,
    pub curl: String,
}

pub fn demo_offer(listing: &Listing, settings: &Settings, deal: &Deal) -> TakeDemo {
    let kind = listing.likely_kind();
    let url = settings.url("/api/products/demo");
    TakeDemo {
        name: format!("Free demo for {}", listing.texts.name),
        description: "Makes demo files for this listing, free and without an account.",
        listing_id: listing.id.to_string(),
        kind,
        sku: Sku::of_kind(kind),
        method: "POST",
        headers: Headers { content_type: "application/json", accept: "application/json" },
        body: DemoBody {
            listing_id: listing.id.to_string(),
            kind,
            name: listing.texts.name.clone(),
            sku: Sku::of_kind(kind),
            agent_card_url: listing.public_card_url().to_owned(),
        },
        curl: curl(listing, &url),
        url,
        deal: Deal { path: Vec::new(), one_liner: String::new(), for_active: String::new(), ..deal.clone() },
        next_after_demo: AfterDemo {
            step: "feedback",
            method: "POST",
            url: settings.url("/api/products/feedback"),
            note: match listing.feedbacked {
                true => "This listing has sent its feedback. Each listing can send it once.",
                false => "Send next_steps.example_body of the demo with your own answers.",
            },
        },
        funnel: FUNNEL,
    }
}

pub fn listing_deal(listing: &Listing, settings: &Settings, deal: &Deal) -> ListingDeal {
    let url = settings.url("/api/products/demo");
    ListingDeal {
        founding_free_seats: deal.remaining,
        message: format!(
            "{}. {}.",
            deal.short,
            match (listing.feedbacked, deal.remaining) {
                (true, _) => "This listing has sent its feedback, which earned its reward",
                (false, 0) => "Feedback on the demo earns a code for 25 % off",
                (false, _) => "Feedback on the demo earns a seat, or 25 % off if it gets none",
            }
        ),
        take_demo_body: Map::from_iter([("listing_id".to_owned(), listing.id.as_str().into())]),
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

/// How much feedback there is, and how much is needed until payments open.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Unlock {
    /// Whether card payments are open.
    pub payments_open: bool,
    /// The number of agents that have given feedback in their own words.
    pub feedback_agents: u32,
    /// The number of MCP servers that have given feedback in their own words.
    pub feedback_mcps: u32,
    /// How much feedback is needed from each kind until payments open.
    pub targets: Targets,
    /// Progress in percent, 0 to 100.
    pub progress_pct: u32,
    /// The progress in one sentence.
    pub message: String,
}

/// How much feedback is needed until payments open.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Targets {
    /// From agents.
    pub agents: u32,
    /// From MCP servers.
    pub mcps: u32,
}

pub fn unlock(settings: &Settings, counts: &FunnelCounts) -> Unlock {
    let target = settings.payments_open_after;
    let agents = counts.feedback_agents.saturating_sub(counts.drafts_agents);
    let mcps = counts.feedback_mcps.saturating_sub(counts.drafts_mcps);
    let is_enough = agents >= target && mcps >= target;
    let payments_open = is_enough && settings.sells();
    let given = u64::from(agents.min(target)) + u64::from(mcps.min(target));
    let progress = given * 100 / (2 * u64::from(target)).max(1);
    let message = if payments_open {
        "Payments are open, and discount codes can be used.".to_owned()
    } else if is_enough {
        "Nothing can be bought yet. There is enough feedback. Payments open when the operator of this registry allows them.".to_owned()
    } else {
        format!(
            "Nothing can be bought yet. Payments open when {target} agents and {target} MCP servers have sent feedback in their own \
             words, and the operator allows them. So far: {} and {}.",
            counted(agents, "agent"),
            counted(mcps, "MCP server")
        )
    };
    Unlock {
        payments_open,
        feedback_agents: agents,
        feedback_mcps: mcps,
        targets: Targets { agents: target, mcps: target },
        progress_pct: u32::try_from(progress).unwrap_or(100),
        message,
    }
}

/// The step of a listing whose feedback has earned its reward, until payments open.
pub fn rewarded(settings: &Settings) -> NextStep {
    let note = "The listing has sent its feedback. An access token opens the product of its demo now. Send a discount code as \
        `code` to this URL with a POST once payments are open. This GET shows when.";
    NextStep::open("checkout", settings.url("/api/products/checkout"), note)
}

#[cfg(test)]
mod tests;
