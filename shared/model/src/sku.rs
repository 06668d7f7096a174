//! The four products and their prices (contract "What the service does" 7). One table, so that no document, checkout or
//! page can name another price.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Kind;

/// A product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sku {
    /// An operating charter for an agent.
    Kernel,
    /// The kernel with a self-improvement loop.
    Recursive,
    /// The recursive product with a standing routine at this registry.
    Alive,
    /// What an MCP server needs to be installed, found and routed to.
    McpMesh,
}

impl Sku {
    /// All of them, in the contract's order.
    pub const ALL: [Self; 4] = [Self::Kernel, Self::Recursive, Self::Alive, Self::McpMesh];

    /// The product that a listing of this kind is offered first.
    #[must_use]
    pub const fn of_kind(kind: Kind) -> Self {
        match kind {
            Kind::Agent => Self::Alive,
            Kind::Mcp => Self::McpMesh,
        }
    }

    /// The word used in paths, keys and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Recursive => "recursive",
            Self::Alive => "alive",
            Self::McpMesh => "mcp_mesh",
        }
    }

    /// Its name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Kernel => "Kernel",
            Self::Recursive => "Recursive",
            Self::Alive => "Alive",
            Self::McpMesh => "MCP Mesh",
        }
    }

    /// What one costs, in US cents.
    #[must_use]
    pub const fn price_cents(self) -> u32 {
        match self {
            Self::Kernel => 1499,
            Self::Recursive => 1999,
            Self::Alive => 2999,
            Self::McpMesh => 2499,
        }
    }

    /// The price as it is shown: a currency symbol and two decimals.
    #[must_use]
    pub fn price(self) -> String {
        dollars(self.price_cents())
    }
}

/// An amount in US cents as it is shown: a currency symbol and two decimals.
#[must_use]
pub fn dollars(cents: u32) -> String {
    format!("${}.{:02}", cents / 100, cents % 100)
}

/// A text that names no product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a product: kernel, recursive, alive or mcp_mesh")]
pub struct InvalidSku;

impl FromStr for Sku {
    type Err = InvalidSku;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|sku| sku.as_str() == text).ok_or(InvalidSku)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_the_contracts() {
        let shown = Sku::ALL.map(|sku| format!("{} {}", sku.as_str(), sku.price()));
        assert_eq!(shown, ["kernel $14.99", "recursive $19.99", "alive $29.99", "mcp_mesh $24.99"]);
        assert!(Sku::ALL.iter().all(|sku| sku.as_str().parse() == Ok(*sku)));
    }
}
