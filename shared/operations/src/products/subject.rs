//! Whom a product is shown for before anybody takes it: a listing, or what a caller says of something that is not listed.
//! Nothing of it is stored or counted.

use crate::goals::Goals;
use crate::lookup;
use crate::prelude::*;
use registry_domain::funnel;
use registry_formats::{argument_schema, argument_text};
use registry_model::{Kind, Lane, Tool};
use registry_products::{Preset, Profile};

const LONGEST_NAME: usize = 200;
const LONGEST_DESCRIPTION: usize = 2000;
const MOST_TOOLS: usize = 64;
const LONGEST_TOOL_NAME: usize = 128;
const LONGEST_TOOL_DESCRIPTION: usize = 1000;

/// A tool as callers name it: by its name, or as `tools/list` shows it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum ToolArgument {
    /// Its name.
    Name(#[schemars(regex(pattern = argument_schema::LINE), length(max = LONGEST_TOOL_NAME))] String),
    /// Its name and what it does.
    Described {
        /// Its name.
        #[schemars(regex(pattern = argument_schema::LINE), length(max = LONGEST_TOOL_NAME))]
        name: String,
        /// What it does.
        #[serde(default)]
        #[schemars(regex(pattern = argument_schema::TEXT_OR_BLANK), length(max = LONGEST_TOOL_DESCRIPTION))]
        description: String,
    },
}

/// Whom a product is shown for, as a caller says it.
#[derive(Clone, Debug, Default)]
pub(super) struct Subject {
    /// A listing, which then says everything but the goals.
    pub listing_id: Option<String>,
    /// Agent or MCP server.
    pub kind: Option<Kind>,
    /// Its name.
    pub name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Tools of an MCP server.
    pub tools: Vec<ToolArgument>,
    /// What it is to reach.
    pub goals: Goals,
    /// Goals of a trade.
    pub preset: Option<Preset>,
}

impl Subject {
    /// What a product is made from.
    pub(super) async fn profile(self, app: &App) -> Result<Profile, Problem> {
        let Self { listing_id, kind, name, description, tools, goals, preset } = self;
        if let Some(id) = listing_id {
            let listing = lookup::listing_with_evidence(app, &id).await?;
            if listing.0.lane == Lane::Withdrawn {
                return Err(Problem::listing_not_found(&id));
            }
            let (goals, preset) = goals.with_preset(preset)?;
            let profile = funnel::profile_of_listing(app, &listing, &goals).await?;
            return Ok(Profile { preset, ..profile });
        }
        let kind = kind.unwrap_or(Kind::Agent);
        let name = match name {
            Some(name) => argument_text::line("agent_name", &name, LONGEST_NAME)?,
            None if kind == Kind::Mcp => "Your MCP server".to_owned(),
            None => "Your agent".to_owned(),
        };
        let description = description
            .filter(|text| !text.trim().is_empty())
            .map(|text| argument_text::text("description", &text, LONGEST_DESCRIPTION))
            .transpose()?;
        let tools = parse_tools(tools)?;
        let (goals, preset) = goals.with_preset(preset)?;
        let said = Profile::unlisted(kind, &name, description.as_deref(), tools);
        funnel::profile_of_description(app, Profile { goals, preset, ..said }).await
    }
}

/// Looks at what is said of a subject, whether or not it is needed.
///
/// # Errors
/// 422 for the first of it that cannot be taken.
pub(super) fn check(
    name: Option<&str>,
    description: Option<&str>,
    tools: &[ToolArgument],
) -> Result<(), Problem> {
    name.map(|name| argument_text::line("agent_name", name, LONGEST_NAME)).transpose()?;
    let description = description.filter(|text| !text.trim().is_empty());
    description.map(|text| argument_text::text("description", text, LONGEST_DESCRIPTION)).transpose()?;
    parse_tools(tools.to_vec()).map(|_| ())
}

fn parse_tools(tools: Vec<ToolArgument>) -> Result<Vec<Tool>, Problem> {
    if tools.len() > MOST_TOOLS {
        let detail = format!("`tools` may hold {MOST_TOOLS} tools. Send the ones that matter most.");
        return Err(Problem::invalid("tools", "too_many", detail));
    }
    let parse = |tool| {
        let (name, description) = match tool {
            ToolArgument::Name(name) => (name, String::new()),
            ToolArgument::Described { name, description } => (name, description),
        };
        let description = match description.trim() {
            "" => String::new(),
            text => argument_text::text("tools", text, LONGEST_TOOL_DESCRIPTION)?,
        };
        Ok(Tool { name: argument_text::line("tools", &name, LONGEST_TOOL_NAME)?, description })
    };
    tools.into_iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(text: &str) -> Result<Vec<Tool>, Problem> {
        parse_tools(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn tools_come_as_names_or_as_a_server_lists_them() {
        let read =
            tools(r#"["add", {"name": "sub", "description": "Subtracts.", "inputSchema": {}}]"#).unwrap();
        let shown: Vec<(&str, &str)> =
            read.iter().map(|tool| (tool.name.as_str(), tool.description.as_str())).collect();
        assert_eq!(shown, [("add", ""), ("sub", "Subtracts.")]);
        assert_eq!(tools(r#"[""]"#).unwrap_err().code, "bad_length");
        assert_eq!(tools(&format!("[{}\"x\"]", "\"x\",".repeat(64))).unwrap_err().code, "too_many");
    }
}
