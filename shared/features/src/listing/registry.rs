//! How the registry describes itself everywhere: its tagline, its `server.json`, and its products with prices.

use crate::prelude::*;
use registry_formats::registry_name;
use registry_model::protocol::{MCP_SHORT_ENDPOINT, SERVER_DESCRIPTION_SCHEMA};

pub fn tagline(settings: &Settings) -> String {
    format!(
        "A registry of AI agents and MCP servers. Every Live listing has answered a real protocol handshake \
         within the last {}. The registry shows the evidence.",
        registry_model::counted(settings.recheck_days, "day")
    )
}

/// The official schema allows at most 100 characters.
pub const OWN_DESCRIPTION: &str =
    "Registry of agents and MCP servers. Every Live listing answered a real protocol handshake.";

/// The server.json of this registry.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnServerDescription {
    #[serde(rename = "$schema")]
    schema: &'static str,
    /// The reversed domain, a slash, and the name of the server.
    name: String,
    title: String,
    description: &'static str,
    version: &'static str,
    website_url: String,
    /// The endpoint.
    remotes: [Remote; 1],
}

#[derive(Debug, Serialize, JsonSchema)]
struct Remote {
    #[serde(rename = "type")]
    transport: &'static str,
    url: String,
}

impl OwnServerDescription {
    pub fn of(settings: &Settings) -> Self {
        Self {
            schema: SERVER_DESCRIPTION_SCHEMA,
            name: registry_name::name_of_registry(&settings.base_url),
            title: settings.brand.clone(),
            description: OWN_DESCRIPTION,
            version: registry_model::VERSION,
            website_url: settings.base_url.clone(),
            remotes: [Remote { transport: "streamable-http", url: settings.url(MCP_SHORT_ENDPOINT) }],
        }
    }
}

/// A product of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProductEntry {
    pub sku: Sku,
    pub name: &'static str,
    /// What the product is.
    pub description: &'static str,
    /// In US cents.
    pub price_cents: u32,
    /// With a currency symbol and two decimals.
    pub price: String,
}

impl ProductEntry {
    pub fn of(sku: Sku) -> Self {
        let description = match sku {
            Sku::Kernel => {
                "A system prompt with rules for confirmation, guidance for the repository, and calls with expected results."
            }
            Sku::Recursive => "The kernel product and a list of what to fix.",
            Sku::Alive => {
                "The recursive product, and for a listing a script and a GitHub workflow that check each day whether it \
                is Live."
            }
            Sku::McpMesh => {
                "A guide to tools or skills, their faults, and for an MCP server with a URL a configuration."
            }
        };
        let (name, price_cents, price) = (sku.title(), sku.price_cents(), sku.price());
        Self { sku, name, description, price_cents, price }
    }

    pub fn all() -> Vec<Self> {
        Sku::ALL.map(Self::of).to_vec()
    }
}
