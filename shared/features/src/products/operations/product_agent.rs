//! The tools of `POST /api/products/agent` (`specification.md#endpoints`). They make demos of the products from a description.
//! One tool returns the arguments that a purchase needs. Nothing is stored, so that anyone can try a product.

mod tools;

use futures::future::OptionFuture;

use crate::funnel::{self, Goals, Unlock};
use crate::listing::ProductEntry;
use crate::prelude::*;
use crate::products::subject::{self, Subject, ToolArgument};
use registry_products::{File, Preset, Profile};
use tools::ProductTool;

pub struct ProductAgent;

/// A tool and its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = schema_of_tools()))]
pub struct Arguments {
    /// The tool to run.
    #[schemars(required)]
    tool: Option<ProductTool>,
    /// The goals of the agent: a list, one per line, or the name of a preset.
    #[serde(default)]
    goals: Goals,
    /// The name of a preset: a ready list of goals for a profession, for `CHARTER.md`.
    preset: Option<Preset>,
    /// The name of the agent or MCP server.
    #[serde(alias = "name")]
    #[schemars(extend("format" = "public-text"), length(max = 200))]
    agent_name: Option<String>,
    /// What the agent or MCP server does.
    #[schemars(extend("format" = "public-text"), length(max = 2000))]
    description: Option<String>,
    /// The tools of the MCP server, as names or as objects from `tools/list`.
    #[serde(default)]
    #[schemars(length(max = 64))]
    tools: Vec<ToolArgument>,
    /// The product.
    sku: Option<Sku>,
    /// For `demo_alive` and `buy_product`: the id of a listing. It replaces the name and the description.
    listing_id: Option<String>,
    /// Leave it out or send `true`. Every tool except `buy_product` makes a demo.
    demo: Option<bool>,
}

/// The result of the tool.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    tool: ProductTool,
    #[serde(skip_serializing_if = "Option::is_none")]
    product: Option<ProductEntry>,
    /// The agent or MCP server that it was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    made_for: Option<MadeFor>,
    /// The files of the demo: a part of the product.
    #[serde(skip_serializing_if = "Option::is_none")]
    artifacts: Option<Vec<File>>,
    /// For `buy_product`: the order that you can send to the checkout.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<PurchaseOrder>,
    /// For `buy_product`: how much feedback is missing until payments open.
    #[serde(skip_serializing_if = "Option::is_none")]
    unlock: Option<Unlock>,
    next: NextStep,
}

/// The agent or MCP server that the files were made for.
#[derive(Debug, Serialize, JsonSchema)]
struct MadeFor {
    name: String,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<ListingId>,
    /// The goals that were sent, and for a product with a charter those of the preset.
    goals: Vec<String>,
}

/// The order that you can send to the checkout. It is not stored, so keep the body.
#[derive(Debug, Serialize, JsonSchema)]
struct PurchaseOrder {
    /// `waits_for_payments` until payments open, then `ready_for_checkout`.
    status: &'static str,
    sku: Sku,
    price_cents: u32,
    price: String,
    goals: Vec<String>,
    /// The body for the checkout, once payments are open.
    #[schemars(with = "Map<String, Value>")]
    body: Value,
    /// What to do until then.
    message: String,
}

impl Operation for ProductAgent {
    const NAME: &'static str = "product_agent";
    const TITLE: &'static str = "Products for agents";
    const DESCRIPTION: &'static str = "Makes a product demo from a description; you need no listing. Pass \
        `tool`. The tools preview_kernel, one_click_demo, demo_alive and demo_mcp make a demo. buy_product \
        returns the price and the order. Stores nothing.";
    const PHRASES: &'static [&'static str] = &[
        "[preview-kernel] preview a kernel with the goals {read papers}",
        "[kernel-improver] preview a kernel with the improved goals {read papers, cite each page}",
        "[demo-alive] demo alive with the goals {answer mail}",
        "[one-click-demo] make a one click demo for \"Ada Bot\"",
        "[recursive-loop] make a one click demo of recursive for \"Ada Bot\"",
        "[demo-mcp] demo mcp for my server \"Adder\": \"Adds two numbers.\"",
        "[buy-product] what would it take to buy the product kernel?",
        "[upgrade-with-alive] what would it take to buy the product alive?",
    ];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"tool": "one_click_demo", "agent_name": "Ada", "description": "Reads papers.", "preset": "researcher"}"#;
    const SUMMARY: &'static [&'static str] =
        &["{order.message}", r#"The demo of {product.name} for "{made_for.name}" has {artifacts#file}."#];
    const SKILLS: &'static [AdvertisedSkill] = tools::SKILLS;
    const ROUTES: &'static [Route] = &[Route::post_as("/api/products/agent", Ok)];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let tool = arguments.tool.ok_or_else(|| {
            let detail = "Choose a `tool`: preview_kernel, one_click_demo, demo_alive, demo_mcp or buy_product. None \
                of them needs a listing. For the demo of a listing, call take_demo with its listing_id.";
            Problem::invalid("tool", Code::WhichTool, detail)
        })?;
        // All arguments are checked, including those that the tool does not use.
        arguments.goals.clone().parse()?;
        let Arguments { agent_name, description, tools, .. } = &arguments;
        subject::described(agent_name.as_deref(), description.as_deref(), tools)?;
        if tool == ProductTool::BuyProduct {
            return buy(app, arguments).await;
        }
        app.count(LimitedAction::Product, &app.caller_digest(caller).await?, None).await?;
        demo(app, tool, arguments).await
    }
}

fn schema_of_tools() -> Value {
    let of = |tool: ProductTool, sku: &[Sku], also: Value| {
        let mut skus = vec![json!(null)];
        skus.extend(sku.iter().map(|sku| json!(sku)));
        let demo = json!({ "enum": [true, null] });
        let own = json!({ "required": ["tool"], "properties": { "tool": { "const": tool }, "sku": { "enum": skus }, "demo": demo } });
        json!({ "allOf": [own, also] })
    };
    let (all, one) = (argument_schema::all_of, argument_schema::one_of);
    let described = json!({ "properties": { "description": { "pattern": argument_schema::TEXT } } });
    json!([
        of(ProductTool::PreviewKernel, &[Sku::Kernel], json!({ "anyOf": one(&["goals", "preset"]) })),
        of(ProductTool::OneClickDemo, &Sku::ALL, all(&["agent_name"])),
        of(ProductTool::DemoAlive, &[Sku::Alive], json!({})),
        of(
            ProductTool::DemoMcp,
            &[Sku::McpMesh],
            json!({ "allOf": [all(&["agent_name", "description"]), described] })
        ),
        json!({ "allOf": [{ "required": ["tool"], "properties": { "tool": { "const": ProductTool::BuyProduct } } }, all(&["sku"])] }),
    ])
}

async fn demo(app: &App, tool: ProductTool, arguments: Arguments) -> Result<Answer, Problem> {
    let sku = sku(tool, arguments.sku)?;
    check_required(tool, &arguments)?;
    let Arguments { goals, preset, agent_name, description, tools, listing_id, .. } = arguments;
    let kind = if sku == Sku::McpMesh { Kind::Mcp } else { Kind::Agent };
    let listing_id = listing_id.filter(|_| tool == ProductTool::DemoAlive);
    let subject =
        Subject { listing_id, kind: Some(kind), name: agent_name, description, tools, goals, preset };
    let profile = subject.profile(app).await?;
    let artifacts = registry_products::sample(sku, &profile, &app.settings);
    let chosen = registry_products::chosen_goals(sku, &profile);
    let next = match &profile.listing_id {
        Some(id) => subject::demo_step(app, id, sku, &chosen, "That demo counts for the listing.").await?,
        None => NextStep::post_own(
            "list_yourself",
            app.settings.url("/api/publish"),
            "These files are made from what you sent. To get files made from what a probe reads, send {\"url\": …} of \
             the agent or MCP server.",
        ),
    };
    let Profile { name, kind, listing_id, .. } = profile;
    Ok(Answer {
        product: Some(ProductEntry::of(sku)),
        made_for: Some(MadeFor { name, kind, listing_id, goals: chosen }),
        artifacts: Some(artifacts),
        order: None,
        unlock: None,
        tool,
        next,
    })
}

fn sku(tool: ProductTool, given: Option<Sku>) -> Result<Sku, Problem> {
    let own = match tool {
        ProductTool::OneClickDemo => return Ok(given.unwrap_or(Sku::Alive)),
        ProductTool::PreviewKernel => Sku::Kernel,
        ProductTool::DemoMcp => Sku::McpMesh,
        ProductTool::DemoAlive | ProductTool::BuyProduct => Sku::Alive,
    };
    match given {
        Some(other) if other != own => {
            let detail = format!(
                "`{}` makes demos only of the product `{}`. For other products, use `one_click_demo`.",
                tool.as_str(),
                own.as_str()
            );
            Err(Problem::invalid("sku", Code::OtherProduct, detail))
        }
        _ => Ok(own),
    }
}

fn check_required(tool: ProductTool, arguments: &Arguments) -> Result<(), Problem> {
    let missing = |field: &str, why: &str| {
        let detail = format!("`{}` requires `{field}`: {why}", tool.as_str());
        Err(Problem::invalid(field, Code::MissingArgument, detail))
    };
    let is_empty = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
    if arguments.demo == Some(false) {
        let detail = "This tool makes a demo. For the full product, use `buy_product`.";
        return Err(Problem::invalid("demo", Code::DemoOnly, detail));
    }
    match tool {
        ProductTool::PreviewKernel
            if matches!(arguments.goals, Goals::None) && arguments.preset.is_none() =>
        {
            missing("goals", "the goals of the agent, one per line, or a preset.")
        }
        ProductTool::OneClickDemo | ProductTool::DemoMcp if is_empty(&arguments.agent_name) => {
            missing("agent_name", "the name to use in the files.")
        }
        ProductTool::DemoMcp if is_empty(&arguments.description) => {
            missing("description", "what the server does, in one or two sentences.")
        }
        _ => Ok(()),
    }
}

async fn buy(app: &App, arguments: Arguments) -> Result<Answer, Problem> {
    let Some(sku) = arguments.sku else {
        let detail = "`buy_product` requires `sku`: kernel, recursive, alive or mcp_mesh.";
        return Err(Problem::invalid("sku", Code::MissingArgument, detail));
    };
    let Arguments { goals, preset, agent_name, description, listing_id, .. } = arguments;
    let (goals, preset) = goals.with_preset(preset)?;
    let listing = listing_id.as_deref().map(|id| lookup::visible_listing(app, id));
    let listing = OptionFuture::from(listing).await.transpose()?;
    let name = agent_name.as_deref().unwrap_or("Your agent");
    let described = Profile::unlisted(Kind::Agent, name, description.as_deref(), Vec::new());
    let profile = listing.as_ref().map_or(described, |listing| Profile::of(listing, None));
    let goals = registry_products::chosen_goals(sku, &Profile { goals, preset, ..profile });
    if goals.len() > 12 {
        let detail =
            "An order has at most 12 goals, with those of its preset. Send fewer goals, or no preset.";
        return Err(Problem::invalid("goals", Code::TooMany, detail));
    }
    let goals = Goals::List(goals).parse()?;
    let unlock = funnel::unlock(&app.settings, &app.store.live().await?.funnel);
    let mut body = json!({ "sku": sku, "goals": goals });
    let subject = [("listing_id", listing_id), ("agent_name", agent_name), ("description", description)];
    for (name, value) in subject.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        body[name] = value.into();
    }
    let for_whom = match listing.is_some() || body["agent_name"].is_string() {
        true => "",
        false => " Add the `listing_id` or the `agent_name` that the product is for.",
    };
    let (status, message, next) = if unlock.payments_open {
        let url = app.settings.url("/api/products/checkout");
        let note = format!("Send order.body. If you have a discount code, add it as `code`.{for_whom}");
        let next = match for_whom {
            "" => NextStep::post("checkout", url, body.clone(), note),
            _ => NextStep::post_own("checkout", url, note),
        };
        ("ready_for_checkout", format!("Payments are open. Send order.body to the checkout.{for_whom}"), next)
    } else {
        let message =
            format!("Nothing is charged or stored, so keep order.body.{for_whom} {}", unlock.message);
        let next = match &listing {
            Some(listing) if listing.feedbacked => funnel::rewarded(&app.settings),
            Some(listing) => subject::demo_step(app, &listing.id, sku, &[], "Takes its free demo.").await?,
            None => {
                NextStep::take_demo(&app.settings.base_url, None, "Send the `listing_id` of a Live listing.")
            }
        };
        ("waits_for_payments", message, next)
    };
    let (price_cents, price) = (sku.price_cents(), sku.price());
    Ok(Answer {
        tool: ProductTool::BuyProduct,
        product: Some(ProductEntry::of(sku)),
        made_for: None,
        artifacts: None,
        order: Some(PurchaseOrder { status, sku, price_cents, price, goals, body, message }),
        unlock: Some(unlock),
        next,
    })
}
