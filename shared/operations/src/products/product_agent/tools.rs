//! Which tools the products have, what each takes, and the skills by which the agent card advertises them.

use crate::prelude::*;
use registry_domain::views::ProductEntry;
use registry_model::settings::Settings;
use registry_products::Preset;

/// A tool of the products (contract `/api/products/agent`).
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

/// What tools there are.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Guide {
    name: &'static str,
    tools: Vec<ToolGuide>,
    /// Sets of goals by trade.
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
    arguments: Vec<ArgumentGuide>,
}

/// An argument of a tool.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct ArgumentGuide {
    name: &'static str,
    required: bool,
    /// What it holds.
    description: &'static str,
}

/// Where the products are had.
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

const fn needs(name: &'static str, description: &'static str) -> ArgumentGuide {
    ArgumentGuide { name, required: true, description }
}

const fn takes(name: &'static str, description: &'static str) -> ArgumentGuide {
    ArgumentGuide { name, required: false, description }
}

const NAME: ArgumentGuide = needs("agent_name", "The name that the files shall use, up to 200 characters.");
const GOALS: ArgumentGuide =
    takes("goals", "Up to 12, of up to 300 characters each: a list, a line each, or a preset's name.");
const PRESET: ArgumentGuide = takes("preset", "researcher, ops, support or coder.");

impl ProductTool {
    const ALL: [Self; 6] = [
        Self::PreviewKernel,
        Self::OneClickDemo,
        Self::DemoAlive,
        Self::DemoMcp,
        Self::BuyProduct,
        Self::ListTools,
    ];

    /// The word used in requests and documents.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::PreviewKernel => "preview_kernel",
            Self::OneClickDemo => "one_click_demo",
            Self::DemoAlive => "demo_alive",
            Self::DemoMcp => "demo_mcp",
            Self::BuyProduct => "buy_product",
            Self::ListTools => "list_tools",
        }
    }

    fn guide(self) -> ToolGuide {
        let description = takes("description", "What it is for, up to 2000 characters.");
        let (does, arguments) = match self {
            Self::PreviewKernel => (
                "An operating charter made from goals.",
                vec![
                    ArgumentGuide { required: true, ..GOALS },
                    PRESET,
                    takes("agent_name", NAME.description),
                ],
            ),
            Self::OneClickDemo => (
                "A demo of any product for an agent that is not listed; without a sku, of alive.",
                vec![NAME, description, GOALS, PRESET, takes("sku", "kernel, recursive, alive or mcp_mesh.")],
            ),
            Self::DemoAlive => (
                "A demo of alive, for a listing or for what you say of an agent.",
                vec![
                    takes("sku", "alive."),
                    GOALS,
                    PRESET,
                    takes("demo", "true."),
                    takes("agent_name", NAME.description),
                    takes("listing_id", "A listing; its card and proof then say the rest."),
                ],
            ),
            Self::DemoMcp => (
                "A demo of mcp_mesh for an MCP server that is not listed.",
                vec![
                    NAME,
                    ArgumentGuide { required: true, ..description },
                    takes("tools", "Up to 64 tools: names, or {name, description}."),
                ],
            ),
            Self::BuyProduct => (
                "What a purchase costs, whether payments are open, and what to send to the checkout.",
                vec![needs("sku", "kernel, recursive, alive or mcp_mesh."), GOALS, PRESET],
            ),
            Self::ListTools => ("This list.", Vec::new()),
        };
        ToolGuide { name: self.as_str(), description: does, arguments }
    }
}

impl Guide {
    pub(super) fn of(settings: &Settings) -> Self {
        let url = |name: &str| settings.url(&format!("/api/products/{name}"));
        Self {
            name: "Products for agents",
            tools: ProductTool::ALL.map(ProductTool::guide).into(),
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

/// The skills that these tools serve.
pub(super) const SKILLS: &[AdvertisedSkill] = &[
    AdvertisedSkill {
        id: "preview-kernel",
        name: "Preview a kernel",
        description: "Makes an operating charter from goals: tool preview_kernel.",
        tags: &["products", "kernel", "demo"],
    },
    AdvertisedSkill {
        id: "one-click-demo",
        name: "Demo without a listing",
        description: "A demo of any product from a name, goals or a preset: tool one_click_demo.",
        tags: &["products", "demo"],
    },
    AdvertisedSkill {
        id: "demo-alive",
        name: "Demo of alive",
        description: "A demo of the product alive, for a listing or from goals: tool demo_alive.",
        tags: &["products", "alive", "demo"],
    },
    AdvertisedSkill {
        id: "demo-mcp",
        name: "Demo for an MCP server",
        description: "A demo of mcp_mesh from a server's name, description and tools: tool demo_mcp.",
        tags: &["products", "mcp", "demo"],
    },
    AdvertisedSkill {
        id: "buy-product",
        name: "Buy a product",
        description: "Tells what a purchase costs and whether payments are open: tool buy_product.",
        tags: &["products", "payment"],
    },
    AdvertisedSkill {
        id: "kernel-improver",
        name: "Improve a kernel",
        description: "Makes a charter anew from better goals: tool preview_kernel; the product is kernel.",
        tags: &["products", "kernel"],
    },
    AdvertisedSkill {
        id: "recursive-loop",
        name: "Self-improvement loop",
        description: "Shows the kernel with its improvement loop: tool one_click_demo with sku recursive.",
        tags: &["products", "recursive"],
    },
    AdvertisedSkill {
        id: "upgrade-with-alive",
        name: "Upgrade to alive",
        description: "Adds the standing routine at this registry: tool demo_alive, then buy_product with sku alive.",
        tags: &["products", "alive"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_called_as_it_is_written() {
        for tool in ProductTool::ALL {
            assert_eq!(serde_json::to_value(tool).unwrap(), tool.as_str());
        }
    }
}
