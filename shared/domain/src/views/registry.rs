//! The data with which the registry describes itself everywhere: its tagline, its name as an MCP server, and
//! its products with prices.

use url::Url;

use crate::prelude::*;
use registry_formats::registry_name::reversed_host;

pub fn tagline(settings: &Settings) -> String {
    format!(
        "A registry of AI agents and MCP servers. Every Live listing has answered a real protocol handshake \
         within the last {} days. The registry shows the evidence.",
        settings.recheck_days
    )
}

/// Its host name reversed, as server names are formed (SEP-2127, `name`).
pub fn own_server_name(settings: &Settings) -> String {
    let url = Url::parse(&settings.base_url).ok();
    let owner = url.as_ref().map_or_else(|| "localhost".to_owned(), reversed_host);
    format!("{owner}/registry")
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
            Sku::Recursive => "The kernel product and a list of fixes with the points that each gains.",
            Sku::Alive => {
                "The recursive product, and a script and a GitHub workflow that check each day whether the listing \
                is Live."
            }
            Sku::McpMesh => {
                "A configuration for MCP clients, a guide to each tool, and the faults of names and descriptions."
            }
        };
        let (name, price_cents, price) = (sku.title(), sku.price_cents(), sku.price());
        Self { sku, name, description, price_cents, price }
    }

    pub fn all() -> Vec<Self> {
        Sku::ALL.map(Self::of).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::settings::Mode;

    #[test]
    fn server_name_is_the_reversed_host() {
        let name = |base_url: &str| {
            let lookup = |name: &str| (name == "BASE_URL").then(|| base_url.to_owned());
            own_server_name(&Settings::from_env(Mode::Public, lookup).unwrap())
        };
        assert_eq!(name("https://registry.example.com"), "com.example.registry/registry");
        assert_eq!(name("http://127.0.0.1:8080"), "127.0.0.1/registry");
        assert_eq!(name("http://[::1]:8080"), "localhost/registry");
    }
}
