//! Shows the files of a product with their sizes and first lines, before anyone takes or buys the product.
//! Without arguments, it returns the list of products with their prices.

use crate::funnel::{self, Goals};
use crate::listing::ProductEntry;
use crate::prelude::*;
use crate::products::subject::{Subject, demo_step};
use registry_products::{File, Preset};

pub struct PreviewProduct;

/// A product, and the listing or agent that it is for. Without arguments, the answer lists the products.
#[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The product. Default: `alive` for an agent, `mcp_mesh` for an MCP server.
    sku: Option<Sku>,
    /// The id of the listing that the product is for.
    #[serde(alias = "id")]
    listing_id: Option<String>,
    /// The name of the agent or MCP server. Send it if you send no `listing_id`.
    #[serde(alias = "name")]
    #[schemars(extend("format" = "public-text"), length(max = 200))]
    agent_name: Option<String>,
    /// What the agent or MCP server does.
    #[schemars(extend("format" = "public-text"), length(max = 2000))]
    description: Option<String>,
    /// The name of a preset: a ready list of goals for a profession, for `CHARTER.md`.
    preset: Option<Preset>,
    /// The goals of the agent, one per line. `CHARTER.md` contains them; for `mcp_mesh`, they help to choose its peers.
    #[serde(default)]
    goals: Goals,
}

/// The list of products, and the requested preview.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    name: &'static str,
    /// How to call this tool.
    usage: String,
    /// Every product and its price.
    skus: Vec<ProductEntry>,
    /// The names of the presets (ready lists of goals).
    presets: Vec<&'static str>,
    /// When payments open, or that they are open.
    payments: String,
    /// The contents of the product, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Preview>,
    next: NextStep,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Preview {
    sku: Sku,
    name: &'static str,
    /// The name of the agent or MCP server that the product is for.
    made_for: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<ListingId>,
    /// What the files are made for; before a probe determines it, a guess from the URL.
    kind: Kind,
    /// The goals that were sent, and for a product with a charter those of the preset.
    goals: Vec<String>,
    /// The size of all files.
    bytes: usize,
    files: Vec<FileSummary>,
}

#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct FileSummary {
    path: String,
    media_type: &'static str,
    bytes: usize,
    lines: usize,
    /// The first line with a letter or digit.
    first_line: String,
    /// Whether the free demo contains the file.
    in_demo: bool,
}

impl Operation for PreviewProduct {
    const NAME: &'static str = "preview_product";
    const TITLE: &'static str = "Preview a product";
    const DESCRIPTION: &'static str = "Lists the files that a product (kernel, recursive, alive or mcp_mesh) \
        would contain: path, size and first line of text. Pass a listing_id, or describe an agent. Without \
        arguments, returns all products with prices, and the names of the presets (ready lists of goals). \
        Stores nothing.";
    const PHRASES: &'static [&'static str] =
        &["preview the product for {id}", "what do the products cost?", "which files are in the product?"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"sku": "kernel", "preset": "researcher"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "Prices, paid once: [skus]{name} costs {price}",
        r#"{preview.name} for "{preview.made_for}" has {preview.bytes} bytes | in {preview.files#file}."#,
        "Files: [preview.files]{path}{in_demo? (in the free demo)|}",
        "{payments}",
    ];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/preview")];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let preview = if arguments == Arguments::default() {
            None
        } else {
            app.count(LimitedAction::Product, &app.caller_digest(caller).await?, None).await?;
            Some(preview(app, arguments).await?)
        };
        let settings = &app.settings;
        let next = match &preview {
            Some(Preview { listing_id: Some(id), sku, goals, .. }) => {
                demo_step(app, id, *sku, goals, "The free demo contains some of these files.").await?
            }
            _ => NextStep::post_own(
                "product_agent",
                settings.url("/api/products/agent"),
                "product_agent with {\"tool\": \"one_click_demo\", \"sku\": …, \"agent_name\": …} returns whole files. To get \
                 files made from what a probe reads, list yourself.",
            ),
        };
        Ok(Answer {
            name: "Product preview",
            usage: format!(
                "GET {}?sku=kernel|recursive|alive|mcp_mesh&listing_id=… (or agent_name=, description=, preset=, goals=).",
                settings.url("/api/products/preview")
            ),
            skus: ProductEntry::all(),
            presets: Preset::ALL.iter().map(|preset| preset.as_str()).collect(),
            payments: funnel::unlock(settings, &app.store.live().await?.funnel).message,
            preview,
            next,
        })
    }
}

async fn preview(app: &App, arguments: Arguments) -> Result<Preview, Problem> {
    let Arguments { sku, listing_id, agent_name, description, preset, goals } = arguments;
    let kind = sku.filter(|sku| *sku == Sku::McpMesh).map(|_| Kind::Mcp);
    let subject =
        Subject { listing_id, kind, name: agent_name, description, goals, preset, ..Subject::default() };
    let profile = subject.profile(app).await?;
    let sku = sku.unwrap_or_else(|| Sku::of_kind(profile.kind));
    let files = registry_products::tree(sku, &profile, &app.settings);
    let shown = registry_products::sample(sku, &profile, &app.settings);
    let in_demo = |file: &File| shown.iter().any(|other| other == file);
    Ok(Preview {
        sku,
        name: sku.title(),
        goals: registry_products::chosen_goals(sku, &profile),
        made_for: profile.name,
        listing_id: profile.listing_id,
        kind: profile.kind,
        bytes: files.iter().map(|file| file.content.len()).sum(),
        files: files.iter().map(|file| summary(file, in_demo(file))).collect(),
    })
}

fn summary(file: &File, in_demo: bool) -> FileSummary {
    // Skips the frame of a front matter and the braces of JSON.
    let has_text = |line: &&str| line.chars().any(char::is_alphanumeric);
    let first_line = file.content.lines().map(str::trim).find(has_text).unwrap_or_default();
    FileSummary {
        path: file.path.clone(),
        media_type: file.media_type,
        bytes: file.content.len(),
        lines: file.content.lines().count(),
        first_line: shorten(first_line, 120),
        in_demo,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_shows_the_first_line_that_contains_text() {
        let file = File {
            path: "a".to_owned(),
            media_type: "text/markdown",
            content: "---\n\nname: x\n".to_owned(),
        };
        let summary = summary(&file, true);
        assert_eq!((summary.first_line.as_str(), summary.lines, summary.bytes), ("name: x", 3, 13));
    }
}
