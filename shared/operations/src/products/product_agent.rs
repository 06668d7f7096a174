//! The tools of `POST /api/products/agent` (contract): demos of the products made from what the caller says, and what a
//! purchase needs. Nothing is stored or counted, so that anybody can try what a product would be.

mod purchase;
mod tools;

use crate::goals::Goals;
use crate::prelude::*;
use crate::products::subject::{self, Subject, ToolArgument};
use purchase::PurchaseOrder;
use registry_domain::funnel::{self, Unlock};
use registry_domain::views::ProductEntry;
use registry_formats::argument_schema;
use registry_model::error::shorten;
use registry_model::{Kind, Sku};
use registry_products::{File, Preset, Profile};
use tools::{Guide, ProductTool};

/// Characters of what an order's goals are about.
const LONGEST_TOPIC: usize = 80;

pub struct ProductAgent;

/// Which tool, and its arguments; `list_tools` tells which tool takes which.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = needs_of_tools()))]
pub struct Arguments {
    /// What is wanted.
    tool: ProductTool,
    /// What the agent is to reach: a list, a line each, or the name of a preset.
    #[serde(default)]
    goals: Goals,
    /// Goals of a trade.
    preset: Option<Preset>,
    /// The name of the agent or MCP server.
    #[serde(alias = "name")]
    #[schemars(regex(pattern = argument_schema::LINE), length(max = 200))]
    agent_name: Option<String>,
    /// What it is for.
    #[schemars(regex(pattern = argument_schema::TEXT_OR_BLANK), length(max = 2000))]
    description: Option<String>,
    /// Tools of an MCP server: names, or as `tools/list` shows them.
    #[serde(default)]
    #[schemars(length(max = 64))]
    tools: Vec<ToolArgument>,
    /// The product.
    sku: Option<Sku>,
    /// A listing, whose card and proof then say the rest (`demo_alive`).
    listing_id: Option<String>,
    /// `true`, or left out: every tool but `buy_product` makes a demo.
    demo: Option<bool>,
}

/// What the tool made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    tool: ProductTool,
    /// The product that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    product: Option<ProductEntry>,
    /// Whom it was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    made_for: Option<MadeFor>,
    /// Files made from what was said: a part of the product.
    #[serde(skip_serializing_if = "Option::is_none")]
    artifacts: Option<Vec<File>>,
    /// What a purchase would be, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<PurchaseOrder>,
    /// How far payments are from opening, where a purchase was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    unlock: Option<Unlock>,
    /// What tools there are, where that was asked for.
    #[serde(flatten)]
    guide: Option<Guide>,
    /// What to do next.
    next: NextStep,
}

/// Whom artifacts were made for.
#[derive(Debug, Serialize, JsonSchema)]
struct MadeFor {
    name: String,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<ListingId>,
    goals: Vec<String>,
}

impl Operation for ProductAgent {
    const NAME: &'static str = "product_agent";
    const TITLE: &'static str = "Products for agents";
    const DESCRIPTION: &'static str = "Makes demos of the products from what you say, without a listing: \
        preview_kernel (goals), one_click_demo (agent_name; description, goals or a preset), demo_alive (goals, or a \
        listing_id), demo_mcp (agent_name, description, tools). buy_product (sku, goals) tells what a purchase needs; \
        list_tools tells all of this. Nothing is stored.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"tool": "one_click_demo", "agent_name": "Ada", "description": "Reads papers.", "preset": "researcher"}"#;
    const PHRASES: &'static [&'static str] = &[
        "preview a kernel with the goals {text}",
        "demo alive with the goals {text}",
        "what would it take to buy the product kernel?",
        "list tools of the products",
    ];
    const SKILLS: &'static [AdvertisedSkill] = tools::SKILLS;
    const ROUTES: &'static [Route] = &[
        Route::get_as("/api/products/agent", list_by_default).taking(which_tools),
        Route::post_as("/api/products/agent", Ok),
    ];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        readable(&arguments)?;
        match arguments.tool {
            ProductTool::ListTools => Ok(list(app)),
            ProductTool::BuyProduct => buy(app, arguments).await,
            _ => demo(app, arguments).await,
        }
    }
}

/// A query can ask for any tool; that each needs other arguments, only the schema of a body can say.
fn which_tools(_: Value) -> Value {
    json!({
        "type": "object",
        "properties": { "tool": {
            "type": "string", "enum": [ProductTool::ListTools],
            "description": "Without it, the same. The other tools take their arguments here, too, by the names that POST tells.",
        } },
    })
}

/// What each tool cannot do without.
fn needs_of_tools() -> Value {
    let of = |tool: ProductTool, sku: &[Sku], also: Value| {
        let mut skus = vec![json!(null)];
        skus.extend(sku.iter().map(|sku| json!(sku)));
        let demo = json!({ "enum": [true, null] });
        let own = json!({ "required": ["tool"], "properties": { "tool": { "const": tool }, "sku": { "enum": skus }, "demo": demo } });
        json!({ "allOf": [own, also] })
    };
    let any = |tool: ProductTool, also: Value| json!({ "allOf": [{ "required": ["tool"], "properties": { "tool": { "const": tool } } }, also] });
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
        any(ProductTool::BuyProduct, all(&["sku"])),
        any(ProductTool::ListTools, json!({})),
    ])
}

/// A GET that names no tool asks which there are.
fn list_by_default(query: &str) -> String {
    if form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "tool") {
        return query.to_owned();
    }
    "tool=list_tools".to_owned()
}

/// Refuses what no tool could take, whichever is meant.
fn readable(arguments: &Arguments) -> Result<(), Problem> {
    let Arguments { goals, agent_name, description, tools, .. } = arguments;
    goals.clone().parse()?;
    subject::check(agent_name.as_deref(), description.as_deref(), tools)
}

fn list(app: &App) -> Answer {
    let settings = &app.settings;
    let note = "Send {\"tool\": …} with the arguments of one of the tools.";
    let next = NextStep::post_own("product_agent", settings.url("/api/products/agent"), note);
    Answer { guide: Some(Guide::of(settings)), ..answer(ProductTool::ListTools, next) }
}

fn answer(tool: ProductTool, next: NextStep) -> Answer {
    Answer {
        ok: true,
        tool,
        product: None,
        made_for: None,
        artifacts: None,
        order: None,
        unlock: None,
        guide: None,
        next,
    }
}

async fn demo(app: &App, arguments: Arguments) -> Result<Answer, Problem> {
    let (tool, sku) = (arguments.tool, sku(&arguments)?);
    required(&arguments)?;
    let Arguments { goals, preset, agent_name, description, tools, listing_id, .. } = arguments;
    let kind = if sku == Sku::McpMesh { Kind::Mcp } else { Kind::Agent };
    let listing_id = listing_id.filter(|_| tool == ProductTool::DemoAlive);
    let subject =
        Subject { listing_id, kind: Some(kind), name: agent_name, description, tools, goals, preset };
    let profile = subject.profile(app).await?;
    let artifacts = registry_products::sample(sku, &profile, &app.settings);
    let next = after_demo(app, &profile);
    let Profile { name, kind, listing_id, goals, .. } = profile;
    Ok(Answer {
        product: Some(ProductEntry::of(sku)),
        made_for: Some(MadeFor { name, kind, listing_id, goals }),
        artifacts: Some(artifacts),
        ..answer(tool, next)
    })
}

/// The product that a tool makes a demo of.
fn sku(arguments: &Arguments) -> Result<Sku, Problem> {
    let own = match arguments.tool {
        ProductTool::OneClickDemo => return Ok(arguments.sku.unwrap_or(Sku::Alive)),
        ProductTool::PreviewKernel => Sku::Kernel,
        ProductTool::DemoMcp => Sku::McpMesh,
        ProductTool::DemoAlive | ProductTool::BuyProduct | ProductTool::ListTools => Sku::Alive,
    };
    match arguments.sku {
        Some(other) if other != own => {
            let detail = format!(
                "`{}` is for the product `{}`; `one_click_demo` takes any.",
                arguments.tool.as_str(),
                own.as_str()
            );
            Err(Problem::invalid("sku", "other_product", detail))
        }
        _ => Ok(own),
    }
}

/// Holds a tool's arguments against what it cannot do without.
fn required(arguments: &Arguments) -> Result<(), Problem> {
    let missing = |field: &str, why: &str| {
        let detail = format!("`{}` needs `{field}`: {why}", arguments.tool.as_str());
        Err(Problem::invalid(field, "missing_argument", detail))
    };
    let is_empty = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
    if arguments.demo == Some(false) {
        let detail = "This makes a demo; `buy_product` tells how to have the full product.";
        return Err(Problem::invalid("demo", "demo_only", detail));
    }
    match arguments.tool {
        ProductTool::PreviewKernel
            if matches!(arguments.goals, Goals::None) && arguments.preset.is_none() =>
        {
            missing("goals", "what the agent is to reach, a line each, or a preset.")
        }
        ProductTool::OneClickDemo | ProductTool::DemoMcp if is_empty(&arguments.agent_name) => {
            missing("agent_name", "the name that the files shall use.")
        }
        ProductTool::DemoMcp if is_empty(&arguments.description) => {
            missing("description", "what the server is for, in a sentence or two.")
        }
        _ => Ok(()),
    }
}

fn after_demo(app: &App, profile: &Profile) -> NextStep {
    match &profile.listing_id {
        Some(id) => NextStep::post(
            "take_demo",
            app.settings.url("/api/products/demo"),
            json!({ "listing_id": id }),
            "That demo counts, and its feedback brings a founding seat while there are any.",
        ),
        None => NextStep::post_own(
            "list_yourself",
            app.settings.url("/api/publish"),
            "Made from your words alone. Send {\"url\": …}, and files are made from your card and your proof.",
        ),
    }
}

async fn buy(app: &App, arguments: Arguments) -> Result<Answer, Problem> {
    let Some(sku) = arguments.sku else {
        let detail = "`buy_product` needs `sku`: kernel, recursive, alive or mcp_mesh.";
        return Err(Problem::invalid("sku", "missing_argument", detail));
    };
    let about = arguments.description.as_deref().or(arguments.agent_name.as_deref()).unwrap_or("your work");
    let (mut goals, preset) = arguments.goals.with_preset(arguments.preset)?;
    goals.extend(preset.into_iter().flat_map(|preset| preset.goals(&shorten(about, LONGEST_TOPIC))));
    let counts = app.store.live().await?.funnel;
    let unlock = funnel::unlock(&app.settings, &counts);
    let (order, next) = purchase::of(&app.settings, sku, goals, &counts, &unlock);
    Ok(Answer {
        product: Some(ProductEntry::of(sku)),
        order: Some(order),
        unlock: Some(unlock),
        ..answer(ProductTool::BuyProduct, next)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn arguments(value: Value) -> Arguments {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_tool_says_what_it_lacks() {
        for (value, field) in [
            (json!({ "tool": "preview_kernel" }), "goals"),
            (json!({ "tool": "one_click_demo", "agent_name": " " }), "agent_name"),
            (json!({ "tool": "demo_mcp", "agent_name": "Ada" }), "description"),
            (json!({ "tool": "demo_alive", "demo": false }), "demo"),
        ] {
            assert_eq!(required(&arguments(value)).unwrap_err().field.as_deref(), Some(field));
        }
        assert!(required(&arguments(json!({ "tool": "demo_alive", "demo": true }))).is_ok());
        assert!(required(&arguments(json!({ "tool": "preview_kernel", "preset": "ops" }))).is_ok());
    }

    #[test]
    fn a_tool_has_its_product() {
        let of = |value| sku(&arguments(value));
        assert_eq!(of(json!({ "tool": "one_click_demo", "sku": "recursive" })), Ok(Sku::Recursive));
        assert_eq!(of(json!({ "tool": "demo_mcp" })), Ok(Sku::McpMesh));
        assert_eq!(of(json!({ "tool": "demo_alive", "sku": "kernel" })).unwrap_err().code, "other_product");
    }

    #[test]
    fn a_get_without_a_tool_asks_for_the_list() {
        assert_eq!(list_by_default("x=1"), "tool=list_tools");
        assert_eq!(list_by_default("tool=demo_alive&goals=ops"), "tool=demo_alive&goals=ops");
    }
}
