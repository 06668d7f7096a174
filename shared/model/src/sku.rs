//! Defines the four products and their prices (`specification.md#products`). Prices are not defined in any other place.

use schemars::JsonSchema;

use super::Kind;

string_enum! {
    /// A product.
    #[derive(JsonSchema)]
    pub enum Sku {
        /// A system prompt with rules for confirmation, guidance for the repository, and calls with expected results.
        Kernel = "kernel",
        /// The product `kernel` and a list of what to fix.
        Recursive = "recursive",
        /// The product `recursive`, and for a listing a script and a GitHub workflow that check each day whether it is Live.
        Alive = "alive",
        /// A guide to tools or skills, their faults, and for an MCP server with a URL a configuration.
        McpMesh = "mcp_mesh",
    }
}

impl Sku {
    /// The product that a listing of this kind is offered first.
    pub const fn of_kind(kind: Kind) -> Self {
        match kind {
            Kind::Agent => Self::Alive,
            Kind::Mcp => Self::McpMesh,
        }
    }

    pub const fn title(self) -> &'static str {
        match self {
            Self::Kernel => "Kernel",
            Self::Recursive => "Recursive",
            Self::Alive => "Alive",
            Self::McpMesh => "MCP Mesh",
        }
    }

    pub const fn price_cents(self) -> u32 {
        match self {
            Self::Kernel => 1499,
            Self::Recursive => 1999,
            Self::Alive => 2999,
            Self::McpMesh => 2499,
        }
    }

    /// With a currency symbol and two decimals.
    pub fn price(self) -> String {
        dollars(self.price_cents())
    }
}

/// An amount of US cents with a currency symbol and two decimals.
pub fn dollars(cents: u32) -> String {
    format!("${}.{:02}", cents / 100, cents % 100)
}
