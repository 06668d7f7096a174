//! `/discovery.json`: the map of this registry (contract "Probe statistics (in the discovery map)"): what it is, what
//! it offers and at which price, which endpoints, tools and documents there are, its limits, and how the probing goes.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::arguments::{self, Argument};
use super::call::Call;
use super::contents::{self, MAP};
use super::limits::{self, Inbound};
use super::surfaces::surfaces;
use crate::documents::probe_statistics::{self, Statistics};
use crate::documents::{Document, DocumentRequest, NoQuery, ROOT_LINKS, families, json as written};
use registry_app::App;
use registry_domain::funnel::{self, DISCOUNT_PERCENT, Deal, Stage, Unlock};
use registry_domain::views::{ProductEntry, tagline};
use registry_model::error::Problem;
use registry_model::protocol::{A2A_VERSIONS, MCP_REVISIONS};
use registry_model::settings::Settings;
use registry_operations::{DESCRIPTIONS, LIST_YOURSELF};

/// The map.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DiscoveryMap {
    name: String,
    version: &'static str,
    role: &'static str,
    tagline: String,
    base_url: String,
    /// How to be listed, in one request.
    list_yourself: ListYourself,
    /// What is asked of whoever sends requests.
    inbound: Inbound,
    /// The protocols that are spoken, and their versions.
    protocol: Protocol,
    /// The extension families by their versions.
    families: Map<String, Value>,
    /// The endpoints of the registry by their purpose; names in braces are to be filled in.
    surfaces: Map<String, Value>,
    /// Every document and page.
    documents: Vec<Listed>,
    /// Every operation, with its arguments by name.
    tools: Vec<Tool>,
    deal: Deal,
    activation_funnel: Vec<Stage>,
    products: Vec<ProductEntry>,
    pricing: Pricing,
    /// How far payments are from opening.
    payment_gate: Unlock,
    /// Whether products can be bought.
    payments_open: bool,
    probes: Statistics,
}

/// How to be listed.
#[derive(Debug, Serialize, JsonSchema)]
struct ListYourself {
    method: &'static str,
    url: String,
    headers: Map<String, Value>,
    #[schemars(with = "Option<Map<String, Value>>")]
    body: Option<Value>,
    /// Where to look then.
    then: String,
    curl: String,
}

/// The protocols that are spoken.
#[derive(Debug, Serialize, JsonSchema)]
struct Protocol {
    /// Revisions of MCP, the newest first.
    mcp: [&'static str; 4],
    /// Versions of A2A, the newest first.
    a2a: [&'static str; 2],
    transport_preference: [&'static str; 1],
}

/// A document or page.
#[derive(Debug, Serialize, JsonSchema)]
struct Listed {
    /// Where it stands; names in braces are to be filled in.
    path: String,
    url: String,
    /// Other paths of the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also_at: Vec<String>,
    summary: &'static str,
    media_type: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Tool {
    name: &'static str,
    aliases: &'static [&'static str],
    title: &'static str,
    description: &'static str,
    /// Its arguments by name; their schemas are in `tools/list` of the MCP endpoint.
    arguments: Vec<Argument>,
    example: Value,
}

/// What costs something, and what does not.
#[derive(Debug, Serialize, JsonSchema)]
struct Pricing {
    currency: &'static str,
    /// In US cents: listing, searching and every check are free.
    listing_cents: u32,
    /// In US cents.
    demo_cents: u32,
    /// In US cents, by product.
    products_cents: Map<String, Value>,
    /// Off a product, for feedback after the founding seats are gone.
    discount_percent: u32,
    /// Where products are bought once payments are open.
    checkout: String,
}

impl Document for DiscoveryMap {
    const PATHS: &'static [&'static str] = MAP.paths;
    const SUMMARY: &'static str = MAP.summary;
    const MAX_AGE_S: Option<u32> = Some(30);
    const HEADERS: &'static [(&'static str, &'static str)] = &ROOT_LINKS;
    type Query = NoQuery;
    type Answer = Self;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        written(&map(app).await?)
    }
}

async fn map(app: &App) -> Result<DiscoveryMap, Problem> {
    let settings = &app.settings;
    let counts = app.store.live().await?.funnel;
    let payment_gate = funnel::unlock(settings, &counts);
    Ok(DiscoveryMap {
        name: settings.brand.clone(),
        version: registry_model::VERSION,
        role: "sub-registry",
        tagline: tagline(settings),
        base_url: settings.base_url.clone(),
        list_yourself: list_yourself(settings),
        inbound: limits::inbound(settings),
        protocol: Protocol {
            mcp: MCP_REVISIONS,
            a2a: A2A_VERSIONS,
            transport_preference: ["streamable-http"],
        },
        families: families::FAMILIES
            .iter()
            .map(|(family, version)| {
                let url = settings.url(&families::path(family));
                ((*family).to_owned(), json!({ "version": version, "url": url }))
            })
            .collect(),
        surfaces: surfaces(settings),
        documents: documents(settings),
        tools: DESCRIPTIONS
            .iter()
            .map(|entry| Tool {
                name: entry.name,
                aliases: entry.aliases,
                title: entry.title,
                description: entry.description,
                arguments: arguments::of(entry),
                example: serde_json::from_str(entry.example).unwrap_or_default(),
            })
            .collect(),
        deal: funnel::deal(settings, counts.seats_claimed),
        activation_funnel: funnel::stages(settings),
        products: ProductEntry::all(),
        pricing: pricing(settings),
        payments_open: payment_gate.payments_open,
        payment_gate,
        probes: probe_statistics::read(app).await?,
    })
}

fn list_yourself(settings: &Settings) -> ListYourself {
    let call = Call::of(LIST_YOURSELF.described, settings);
    ListYourself {
        method: call.method,
        headers: call.headers(),
        curl: call.curl(),
        url: call.url,
        body: call.body,
        then: settings.url("/api/listings/status?id={listing_id}"),
    }
}

fn documents(settings: &Settings) -> Vec<Listed> {
    let listed = contents::everything().map(|entry| {
        let path = entry.path();
        Listed {
            url: settings.url(&path),
            path,
            also_at: entry.paths.iter().skip(1).map(|path| (*path).to_owned()).collect(),
            summary: entry.summary,
            media_type: entry.media_type,
        }
    });
    listed.collect()
}

fn pricing(settings: &Settings) -> Pricing {
    let products = ProductEntry::all().into_iter();
    Pricing {
        currency: "USD",
        listing_cents: 0,
        demo_cents: 0,
        products_cents: products
            .map(|product| (product.sku.as_str().to_owned(), product.price_cents.into()))
            .collect(),
        discount_percent: DISCOUNT_PERCENT,
        checkout: settings.url("/api/products/checkout"),
    }
}
