//! The listing for which a product preview is made, or an agent or MCP server that the caller describes.
//! Nothing is stored or counted.

use crate::funnel::{self, Goals};
use crate::prelude::*;
use registry_formats::argument_text;
use registry_model::Tool;
use registry_model::protocol::MAX_TOOL_NAME_CHARS;
use registry_products::{Preset, Profile};

const MAX_NAME_CHARS: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 2000;
const MAX_TOOLS: usize = 64;
const MAX_TOOL_DESCRIPTION_CHARS: usize = 1000;

/// A tool of an MCP server: its name, or an object from `tools/list`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected the name of a tool, or its name and description")]
pub(super) enum ToolArgument {
    /// The name of the tool.
    Name(#[schemars(extend("format" = "public-text"), length(max = MAX_TOOL_NAME_CHARS))] String),
    /// The name and description of the tool.
    Described {
        /// The name of the tool.
        #[schemars(extend("format" = "public-text"), length(max = MAX_TOOL_NAME_CHARS))]
        name: String,
        /// What it does.
        #[serde(default)]
        #[schemars(extend("format" = "public-text"), length(max = MAX_TOOL_DESCRIPTION_CHARS))]
        description: String,
    },
}

#[derive(Clone, Debug, Default)]
pub(super) struct Subject {
    /// A listing, which replaces all other fields except the goals.
    pub listing_id: Option<String>,
    pub kind: Option<Kind>,
    pub name: Option<String>,
    pub description: Option<String>,
    pub tools: Vec<ToolArgument>,
    pub goals: Goals,
    pub preset: Option<Preset>,
}

impl Subject {
    pub(super) async fn profile(self, app: &App) -> Result<Profile, Problem> {
        let Self { listing_id, kind, name, description, tools, goals, preset } = self;
        if let Some(id) = listing_id {
            let listing = lookup::shown_listing_with_evidence(app, &id).await?;
            let (goals, preset) = goals.with_preset(preset)?;
            let profile = funnel::profile_of_listing(app, &listing, &goals).await?;
            return Ok(Profile { preset, ..profile });
        }
        let kind = kind.unwrap_or(Kind::Agent);
        let (name, description, tools) = described(name.as_deref(), description.as_deref(), &tools)?;
        let unnamed = if kind == Kind::Mcp { "Your MCP server" } else { "Your agent" };
        let (goals, preset) = goals.with_preset(preset)?;
        let name = name.as_deref().unwrap_or(unnamed);
        let profile = Profile::unlisted(kind, name, description.as_deref(), tools);
        funnel::profile_of_description(app, Profile { goals, preset, ..profile }).await
    }
}

/// Takes the demo of a listing, with these goals; if it is not Live, reads its status.
pub(super) async fn demo_step(
    app: &App,
    id: &ListingId,
    sku: Sku,
    goals: &[String],
    note: &str,
) -> Result<NextStep, Problem> {
    if !lookup::listing(app, id.as_str()).await?.is_live(app.oldest_proof()) {
        let note = "A demo requires a Live listing. The status shows why this one is not Live.";
        return Ok(NextStep::check_status(&app.settings.base_url, id, note));
    }
    // A demo accepts no more goals.
    let body = json!({ "listing_id": id, "sku": sku, "goals": goals.get(..12).unwrap_or(goals) });
    Ok(NextStep::post("take_demo", app.settings.url("/api/products/demo"), body, note))
}

/// A name, a description and tools.
type Described = (Option<String>, Option<String>, Vec<Tool>);

/// 422 for the first that is invalid.
pub(super) fn described(
    name: Option<&str>,
    description: Option<&str>,
    tools: &[ToolArgument],
) -> Result<Described, Problem> {
    let name = name.map(|name| argument_text::plain_line("agent_name", name, MAX_NAME_CHARS));
    let name = name.transpose()?;
    let description = description.filter(|text| !text.trim().is_empty());
    let description =
        description.map(|text| argument_text::plain_text("description", text, MAX_DESCRIPTION_CHARS));
    Ok((name, description.transpose()?, parse_tools(tools.to_vec())?))
}

fn parse_tools(tools: Vec<ToolArgument>) -> Result<Vec<Tool>, Problem> {
    if tools.len() > MAX_TOOLS {
        let detail = format!("`tools` accepts at most {MAX_TOOLS} tools. Send the most important ones.");
        return Err(Problem::invalid("tools", Code::TooMany, detail));
    }
    let parse = |tool| {
        let (name, description) = match tool {
            ToolArgument::Name(name) => (name, String::new()),
            ToolArgument::Described { name, description } => (name, description),
        };
        let description = match description.trim() {
            "" => String::new(),
            text => argument_text::plain_text("tools", text, MAX_TOOL_DESCRIPTION_CHARS)?,
        };
        Ok(Tool {
            name: argument_text::plain_line("tools", &name, MAX_TOOL_NAME_CHARS)?,
            description,
            ..Tool::default()
        })
    };
    tools.into_iter().map(|tool| parse(tool).map_err(Problem::in_entry)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(text: &str) -> Result<Vec<Tool>, Problem> {
        parse_tools(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn tools_are_given_as_names_or_as_objects_of_tools_list() {
        let read =
            tools(r#"["add", {"name": "sub", "description": "Subtracts.", "inputSchema": {}}]"#).unwrap();
        let shown: Vec<(&str, &str)> =
            read.iter().map(|tool| (tool.name.as_str(), tool.description.as_str())).collect();
        assert_eq!(shown, [("add", ""), ("sub", "Subtracts.")]);
        assert_eq!(tools(r#"[""]"#).unwrap_err().code, Code::BadLength);
        assert_eq!(tools(&format!("[{}\"x\"]", "\"x\",".repeat(64))).unwrap_err().code, Code::TooMany);
    }
}
