//! Describes the tools of `product_agent` with their arguments, and the skills of the agent card that use them.

use crate::prelude::*;
use registry_domain::views::ProductEntry;
use registry_model::settings::Settings;
use registry_products::Preset;

/// A tool of `POST /api/products/agent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ProductTool {
    PreviewKernel,
    OneClickDemo,
    DemoAlive,
    DemoMcp,
    BuyProduct,
    ListTools,
}

/// The tools and where to get the products.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Guide {
    name: &'static str,
    tools: &'static [ToolGuide],
    /// The names of the presets (ready lists of goals).
    presets: Vec<&'static str>,
    products: Vec<ProductEntry>,
    endpoints: Endpoints,
}

/// One tool.
#[derive(Debug, Serialize, JsonSchema)]
struct ToolGuide {
    name: &'static str,
    /// What it does.
    description: &'static str,
    arguments: &'static [ArgumentGuide],
}

/// An argument of a tool.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct ArgumentGuide {
    name: &'static str,
    required: bool,
    /// What to pass.
    description: &'static str,
}

/// The URLs of the endpoints.
#[derive(Debug, Serialize, JsonSchema)]
struct Endpoints {
    agent: String,
    preview: String,
    demo: String,
    feedback: String,
    checkout: String,
    access: String,
    export: String,
    verify: String,
}

const fn required(name: &'static str, description: &'static str) -> ArgumentGuide {
    ArgumentGuide { name, required: true, description }
}

const fn optional(name: &'static str, description: &'static str) -> ArgumentGuide {
    ArgumentGuide { name, required: false, description }
}

const NAME: ArgumentGuide = required("agent_name", "The name to use in the files, up to 200 characters.");
const GOALS: ArgumentGuide = optional(
    "goals",
    "Up to 12 goals, each up to 300 characters: as a list, or one per line. Or the name of a preset.",
);
const PRESET: ArgumentGuide = optional("preset", "researcher, ops, support or coder.");

const DESCRIPTION: ArgumentGuide =
    optional("description", "What the agent or MCP server does, up to 2000 characters.");
const OPTIONAL_NAME: ArgumentGuide = optional("agent_name", NAME.description);
const ANY_SKU: &str = "kernel, recursive, alive or mcp_mesh.";

/// In the order of `ProductTool`.
static TOOLS: [ToolGuide; 6] = [
    ToolGuide {
        name: "preview_kernel",
        description: "Makes a charter (working rules for an agent) from goals.",
        arguments: &[ArgumentGuide { required: true, ..GOALS }, PRESET, OPTIONAL_NAME],
    },
    ToolGuide {
        name: "one_click_demo",
        description: "Makes a demo of any product (default: alive) for an agent that is not listed.",
        arguments: &[NAME, DESCRIPTION, GOALS, PRESET, optional("sku", ANY_SKU)],
    },
    ToolGuide {
        name: "demo_alive",
        description: "Makes a demo of alive for a listing or for an agent that you describe.",
        arguments: &[
            optional("sku", "alive."),
            GOALS,
            PRESET,
            optional("demo", "true."),
            OPTIONAL_NAME,
            optional(
                "listing_id",
                "The id of a listing. The card and proof of this listing replace the other arguments.",
            ),
        ],
    },
    ToolGuide {
        name: "demo_mcp",
        description: "Makes a demo of mcp_mesh for an MCP server that is not listed.",
        arguments: &[
            NAME,
            ArgumentGuide { required: true, ..DESCRIPTION },
            optional("tools", "Up to 64 tools, as names or as {name, description}."),
        ],
    },
    ToolGuide {
        name: "buy_product",
        description: "Returns the price, whether payments are open, and what to send to the checkout.",
        arguments: &[required("sku", ANY_SKU), GOALS, PRESET],
    },
    ToolGuide { name: "list_tools", description: "Returns the list of these tools.", arguments: &[] },
];

impl ProductTool {
    pub(super) const fn as_str(self) -> &'static str {
        TOOLS[self as usize].name
    }
}

impl Guide {
    pub(super) fn of(settings: &Settings) -> Self {
        let url = |name: &str| settings.url(&format!("/api/products/{name}"));
        Self {
            name: "Products for agents",
            tools: &TOOLS,
            presets: Preset::ALL.iter().map(|preset| preset.as_str()).collect(),
            products: ProductEntry::all(),
            endpoints: Endpoints {
                agent: url("agent"),
                preview: url("preview"),
                demo: url("demo"),
                feedback: url("feedback"),
                checkout: url("checkout"),
                access: url("access"),
                export: url("export"),
                verify: url("verify"),
            },
        }
    }
}

pub(super) const SKILLS: &[AdvertisedSkill] = &[
    AdvertisedSkill {
        id: "preview-kernel",
        name: "Preview a kernel",
        description: "Makes a charter (working rules for an agent) from goals. Uses the tool preview_kernel.",
        tags: &["products", "kernel", "demo"],
    },
    AdvertisedSkill {
        id: "one-click-demo",
        name: "Demo without a listing",
        description: "Makes a demo of any product from a name, goals or a preset. Uses the tool \
            one_click_demo.",
        tags: &["products", "demo"],
    },
    AdvertisedSkill {
        id: "demo-alive",
        name: "Demo of alive",
        description: "Makes a demo of the product alive for a listing or from goals. Uses the tool \
            demo_alive.",
        tags: &["products", "alive", "demo"],
    },
    AdvertisedSkill {
        id: "demo-mcp",
        name: "Demo for an MCP server",
        description: "Makes a demo of mcp_mesh from the name, description and tools of a server. Uses the \
            tool demo_mcp.",
        tags: &["products", "mcp", "demo"],
    },
    AdvertisedSkill {
        id: "buy-product",
        name: "Buy a product",
        description: "Returns the price and whether payments are open. Uses the tool buy_product.",
        tags: &["products", "payment"],
    },
    AdvertisedSkill {
        id: "kernel-improver",
        name: "Improve a kernel",
        description: "Makes a new charter (working rules for an agent) from goals that you have improved. Uses the tool \
            preview_kernel for the product kernel.",
        tags: &["products", "kernel"],
    },
    AdvertisedSkill {
        id: "recursive-loop",
        name: "Self-improvement loop",
        description: "Shows the kernel with its improvement loop. Uses the tool one_click_demo with sku \
            recursive.",
        tags: &["products", "recursive"],
    },
    AdvertisedSkill {
        id: "upgrade-with-alive",
        name: "Upgrade to alive",
        description: "Adds a routine that an agent repeats at this registry. Use the tool demo_alive, then \
            buy_product with sku alive.",
        tags: &["products", "alive"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_str_equals_the_json_name() {
        use ProductTool::*;
        for tool in [PreviewKernel, OneClickDemo, DemoAlive, DemoMcp, BuyProduct, ListTools] {
            assert_eq!(serde_json::to_value(tool).unwrap(), tool.as_str());
        }
    }
}
