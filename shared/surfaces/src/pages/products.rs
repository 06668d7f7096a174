//! `/products`: the products with prices and files, the founding seats, and when payments open. The files are
//! those of real products, made for an example listing.

use super::command::Command;
use super::frame::{Frame, Section, html, page};
use crate::prelude::*;
use registry_features::funnel::operations::{LEAVE_FEEDBACK, TAKE_DEMO};
use registry_features::funnel::{self, Deal, Unlock};
use registry_features::listing::ProductEntry;
use registry_features::products::operations::PREVIEW_PRODUCT;
use registry_model::{Skill, Sku, Tool};
use registry_products::{File, Profile};

#[derive(Template)]
#[template(path = "products.html")]
struct Page<'a> {
    frame: Frame<'a>,
    deal: Deal,
    unlock: Unlock,
    products: Vec<Product>,
    demo: Command,
    feedback: Command,
    preview: Command,
}

struct Product {
    entry: ProductEntry,
    made_for: &'static str,
    example: &'static str,
    /// The files made for an example, and whether the demo contains the whole file.
    files: Vec<(File, bool)>,
}

impl Product {
    /// The example is listed nowhere, so its files name another registry.
    fn of(sku: Sku, settings: &Settings) -> Self {
        let mut settings = settings.clone();
        "https://registry.example.com".clone_into(&mut settings.base_url);
        let (example, made_for, noun) = match sku {
            Sku::McpMesh => (example_server(), "MCP servers", "server"),
            Sku::Kernel | Sku::Recursive | Sku::Alive => (example_agent(), "agents", "agent"),
        };
        let sample = registry_products::sample(sku, &example, &settings);
        let files = registry_products::tree(sku, &example, &settings).into_iter();
        let files = files.map(|file| {
            let in_demo = sample.contains(&file);
            (file, in_demo)
        });
        Self { entry: ProductEntry::of(sku), made_for, example: noun, files: files.collect() }
    }
}

fn example_agent() -> Profile {
    let skill = Skill {
        id: "plan-trip".to_owned(),
        name: "Plan a trip".to_owned(),
        description: "Plans a trip from the places and days, and books it.".to_owned(),
        tags: Vec::new(),
    };
    Profile {
        listing_id: "agtpub_0123456789abcdef0123".parse().ok(),
        endpoint: Some("https://agent.example.com/a2a".to_owned()),
        card_url: Some("https://agent.example.com/.well-known/agent-card.json".to_owned()),
        skills: vec![skill],
        ..Profile::unlisted(Kind::Agent, "Example agent", Some("Plans trips and books them."), Vec::new())
    }
}

fn example_server() -> Profile {
    let tool = Tool {
        name: "forecast".to_owned(),
        description: "The weather for a place on a given day.".to_owned(),
        ..Tool::default()
    };
    let profile = Profile::unlisted(Kind::Mcp, "Example server", Some("Tells the weather."), vec![tool]);
    Profile { endpoint: Some("https://mcp.example.com/mcp".to_owned()), ..profile }
}

pub(super) static PRODUCTS: AnyDocument = AnyDocument {
    paths: &["/products"],
    summary: "The page of the products for people. It shows prices, contents and the free founding seats.",
    max_age_s: Some(60),
    shows_live: true,
    validator: |_, request| Ok(Some(CacheValidator::weak(&format!("products/{:?}", request.live.funnel)))),
    ..page(|app, request| Box::pin(async { render(&app.settings, request.live) }))
};

fn render(settings: &Settings, live: Live) -> Result<Bytes, Problem> {
    let funnel = live.funnel;
    let description = format!(
        "Four products that are made from a listing's description and its proof. {}",
        funnel::deal(settings, funnel.seats_claimed).one_liner
    );
    html(&Page {
        frame: Frame::of(settings, Section::Products, "/products", "Products", description),
        deal: funnel::deal(settings, funnel.seats_claimed),
        unlock: funnel::unlock(settings, &funnel),
        products: Sku::ALL.map(|sku| Product::of(sku, settings)).into(),
        demo: Command::of(TAKE_DEMO.described, settings),
        feedback: Command::of(LEAVE_FEEDBACK.described, settings),
        preview: Command::of(PREVIEW_PRODUCT.described, settings),
    })
}
