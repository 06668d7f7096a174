//! The tools of `product_agent`, and the skills of the agent card that use them.

use crate::prelude::*;
use registry_model::string_enum;

string_enum! {
    /// A tool of `POST /api/products/agent`.
    #[derive(JsonSchema)]
    pub(super) enum ProductTool {
        PreviewKernel = "preview_kernel",
        OneClickDemo = "one_click_demo",
        DemoAlive = "demo_alive",
        DemoMcp = "demo_mcp",
        BuyProduct = "buy_product",
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
        description: "Makes a demo of any product from a name. Uses the tool one_click_demo.",
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
        description: "Makes a new charter from goals that you have improved. Uses the tool preview_kernel.",
        tags: &["products", "kernel"],
    },
    AdvertisedSkill {
        id: "recursive-loop",
        name: "Self-improvement loop",
        description: "Makes a charter and a checklist to improve an agent. Uses the tool one_click_demo with sku \
            recursive.",
        tags: &["products", "recursive"],
    },
    AdvertisedSkill {
        id: "upgrade-with-alive",
        name: "Upgrade to alive",
        description: "Adds a script and a workflow that check a listing each day. Use the tool demo_alive, \
            then buy_product with sku alive.",
        tags: &["products", "alive"],
    },
];
