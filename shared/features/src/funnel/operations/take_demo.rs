//! The free demo of a Live listing. It contains files that are generated from the listing's own card and proof, and a draft of
//! the five feedback answers. If a listing takes the demo twice, the order stays the same (`specification.md#orders`).

use crate::funnel::{Deal, Demo, DemoRequest, FeedbackDraft, Goals, ListingRef, Question, Unlock};
use crate::prelude::*;
use registry_model::OrderId;
use registry_products::File;

pub struct TakeDemo;

/// A listing and a product.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = argument_schema::one_of(&["listing_id", "agent_card_url", "mcp_url"])))]
pub struct Arguments {
    /// The id of the listing. If you do not send it, send `agent_card_url` or `mcp_url`.
    #[serde(alias = "id")]
    listing_id: Option<String>,
    /// The URL of an agent's card.
    agent_card_url: Option<String>,
    /// The endpoint of an MCP server.
    mcp_url: Option<String>,
    /// The product. Default: `alive` for an agent, `mcp_mesh` for an MCP server.
    sku: Option<Sku>,
    /// The goals of the agent, one per line, for this answer only. `CHARTER.md` contains them; for `mcp_mesh`, they help to
    /// choose its peers.
    #[serde(default)]
    goals: Goals,
    /// Send `invitation` if the registry invited you. Such a demo counts after `demo_confirm`, with the access token or
    /// discount code of the listing, or after a request without `source`.
    source: Option<String>,
    /// Ignored, like `name` and `description`: the registry uses its own data. The `take_demo` of a row contains them.
    #[expect(dead_code, reason = "ignored")]
    kind: Option<String>,
    /// Ignored.
    #[expect(dead_code, reason = "ignored")]
    name: Option<String>,
    /// Ignored.
    #[expect(dead_code, reason = "ignored")]
    description: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    order_id: OrderId,
    listing_id: ListingId,
    kind: Kind,
    name: String,
    sku: Sku,
    message: String,
    /// The full product.
    product: Product,
    /// Whether the demo counts as real: it was requested without `source: invitation`, or confirmed.
    counted_as_real: bool,
    /// The files of the demo: a part of the product.
    artifacts: Vec<File>,
    /// How much feedback is missing until payments open.
    unlock: Unlock,
    /// The founding offer.
    deal: Deal,
    next_steps: NextSteps,
    next: NextStep,
}

/// The price of the full product, and when it is free.
#[derive(Debug, Serialize, JsonSchema)]
struct Product {
    name: &'static str,
    price_cents: u32,
    /// The price with a currency symbol and two decimals.
    price: String,
    /// How to get the full product.
    note: String,
}

/// How to give feedback.
#[derive(Debug, Serialize, JsonSchema)]
struct NextSteps {
    /// `feedback`; `done` if the listing has sent it.
    step: &'static str,
    method: &'static str,
    url: String,
    /// A body that you can send unchanged, once for each listing. The answers in it are a draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    example_body: Option<FeedbackDraft>,
    questions: Vec<Question>,
    /// The URL to confirm a demo that you were invited to.
    confirm_url: String,
}

impl Operation for TakeDemo {
    const NAME: &'static str = "take_demo";
    const ALIASES: &'static [&'static str] = &["quick_demo"];
    const TITLE: &'static str = "Take the free demo";
    const DESCRIPTION: &'static str = "Generates a free demo for a Live listing. The demo is a part of a \
        product (kernel, recursive, alive or mcp_mesh). It is made from the card and the proof of the \
        listing. Returns the files, and a draft of the feedback for leave_feedback. Pass listing_id, \
        agent_card_url or mcp_url.";
    const PHRASES: &'static [&'static str] = &[
        "take the demo for {id}",
        "take the free demo of {id}",
        "[quick-demo] demo {id}",
        "run the demo for {id}",
    ];
    const EFFECT: Effect = Effect { idempotent: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{message}",
        r#"The demo {product.name} for "{name}" is order {order_id} | ; the full product costs {product.price}."#,
        "Files: [artifacts]{path}",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[
        AdvertisedSkill::of::<Self>(
            "Generates a free part of a product for a Live listing. It is made from the card \
                and the proof of the listing.",
            &["registry", "demo", "products"],
        ),
        AdvertisedSkill {
            id: "quick-demo",
            name: "Demo by id",
            description: "Generates the free demo of a Live listing. The id of the listing is enough.",
            tags: &["registry", "demo"],
        },
    ];
    const ROUTES: &'static [Route] =
        &[Route::get("/api/products/demo").acting(), Route::post_as("/api/products/demo", Ok)];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::Forbidden, ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let demo = crate::funnel::demo(app, caller, request(arguments)?).await?;
        Ok(answer(app, demo))
    }
}

fn request(arguments: Arguments) -> Result<DemoRequest, Problem> {
    let Arguments { listing_id, agent_card_url, mcp_url, sku, goals, source, .. } = arguments;
    let url = || agent_card_url.or(mcp_url).map(ListingRef::Url);
    let listing = listing_id.map(ListingRef::Id).or_else(url).ok_or_else(|| {
        let detail = "Send `listing_id`, `agent_card_url` or `mcp_url`.";
        Problem::invalid("listing_id", Code::WhichListing, detail)
    })?;
    let invited = source.as_deref() == Some("invitation");
    Ok(DemoRequest { listing, sku, goals: goals.parse()?, invited })
}

fn answer(app: &App, demo: Demo) -> Answer {
    let Demo { order, listing: (listing, _), profile, files, counts } = demo;
    let (settings, sku) = (&app.settings, order.sku);
    let draft = FeedbackDraft { goals: profile.goals, ..FeedbackDraft::of(&listing, &order, &app.random) };
    let deal = crate::funnel::deal(settings, counts.seats_claimed);
    let next = feedback_step(settings, &listing, &draft);
    let (title, made) = (sku.title(), counted(files.len(), "file"));
    let note = match listing.feedbacked {
        true => "Its feedback has been received, and earned its reward.".to_owned(),
        false => format!("Feedback earns it free if the listing gets a seat, else 25 % off. {}.", deal.short),
    };
    Answer {
        listing_id: listing.id.clone(),
        kind: listing.likely_kind(),
        name: listing.texts.name.clone(),
        sku,
        message: format!("The free demo of {title} for {}: `artifacts` has {made}.", listing.texts.name),
        product: Product { name: title, price_cents: sku.price_cents(), price: sku.price(), note },
        counted_as_real: order.is_real(),
        artifacts: files,
        unlock: crate::funnel::unlock(settings, &counts),
        deal,
        next_steps: NextSteps {
            step: if listing.feedbacked { "done" } else { "feedback" },
            method: next.method,
            url: next.url.clone(),
            example_body: Some(draft).filter(|_| !listing.feedbacked),
            questions: Question::all(),
            confirm_url: settings.url("/api/products/demo-confirm"),
        },
        next,
        order_id: order.order_id,
    }
}

pub(crate) fn feedback_step(settings: &Settings, listing: &Listing, draft: &FeedbackDraft) -> NextStep {
    if listing.lane == Lane::Withdrawn {
        let note = "This listing was withdrawn. The status says who can restore it.";
        return NextStep::check_status(&settings.base_url, &listing.id, note);
    }
    if listing.feedbacked {
        let note = "The feedback of this listing has been received. Read its Talk inbox.";
        return NextStep::talk_inbox(&settings.base_url, &listing.id, note);
    }
    NextStep::post(
        "leave_feedback",
        settings.url("/api/products/feedback"),
        json!(draft),
        "Give feedback. `body` contains a draft of the five answers. Replace the answers with your own: the unchanged draft \
            earns the reward, but does not count towards the opening of payments. The reward is a founding seat (the full \
            product), if one is left for the listing, else a code for 25 % off.",
    )
}
