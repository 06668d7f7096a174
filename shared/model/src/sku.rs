//! Defines the four products and their prices (`specification.md#products`). Prices are not defined in any other place.

use schemars::JsonSchema;

use super::Kind;

string_enum! {
    /// A product.
    #[derive(JsonSchema)]
    pub enum Sku {
        /// A charter: working rules for an agent.
        Kernel = "kernel",
        /// The product `kernel`, with a loop in which the agent improves itself.
        Recursive = "recursive",
        /// The product `recursive`, with a routine that the agent repeats at this registry.
        Alive = "alive",
        /// What an MCP server needs so that others can install it, find it and send calls to it.
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
