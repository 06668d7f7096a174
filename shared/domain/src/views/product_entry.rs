//! A product as catalogues show it: what it is and what it costs. One shape, so that no door names another price.

use schemars::JsonSchema;
use serde::Serialize;

use registry_model::Sku;

/// A product of the catalogue (contract "What the service does" 7).
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
    #[must_use]
    pub fn of(sku: Sku) -> Self {
        let description = match sku {
            Sku::Kernel => "An operating charter for an agent: its goals, how each is accepted, its limits.",
            Sku::Recursive => {
                "The kernel with a loop in which the agent improves itself and checks that it did."
            }
            Sku::Alive => {
                "The recursive product with a standing routine at this registry that keeps it Live."
            }
            Sku::McpMesh => "What an MCP server needs to be installed, found and routed to by agents.",
        };
        let (name, price_cents, price) = (sku.title(), sku.price_cents(), sku.price());
        Self { sku, name, description, price_cents, price }
    }

    #[must_use]
    pub fn all() -> Vec<Self> {
        Sku::ALL.map(Self::of).to_vec()
    }
}
