//! The stored tools of an MCP server, as the page of the listing and the API show them.

use crate::prelude::*;
use registry_formats::tool_definition::{ParameterView, ToolView};
use registry_formats::{document_texts, injection, tool_diff};
use registry_model::{ListedTool, Severity, ToolChange, ToolSet};
use registry_store::SeenTools;

/// A tool with the parts of its definition that people read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownTool {
    pub name: String,
    /// SHA-256 (hex) over the canonical definition: the pin of the tool.
    pub hash: String,
    /// The URL of the canonical definition, whose SHA-256 is `hash`. Absent if the definition is too large to store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition_url: Option<String>,
    #[serde(flatten)]
    pub view: Option<ToolView>,
}

/// A tool set of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownSet {
    /// SHA-256 (hex) over the JSON array of the sorted hashes of all tools: the pin of the set.
    pub hash: String,
    /// Since when this set is stored. A withdrawal by the operator ends what was stored; the log has the sets before.
    pub at: Moment,
    /// How many tools it contains.
    pub tools: usize,
    /// The URL of the JSON array. Absent if the set is too large to store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl ShownTool {
    /// The texts of a tool with instructions to models are shown only at its content address.
    pub fn of(settings: &Settings, seen: &SeenTools, tool: &ListedTool) -> Self {
        let definition = seen.definitions.get(&tool.hash);
        let view = definition.and_then(|definition| {
            let view = ToolView::of(definition)?;
            Some(if document_texts::is_unfit_tool(definition) { without_texts(view) } else { view })
        });
        Self {
            name: injection::text_unless_injection(&tool.name).to_owned(),
            hash: tool.hash.clone(),
            definition_url: definition.map(|_| content_url(settings, &tool.hash)),
            view,
        }
    }
}

fn without_texts(view: ToolView) -> ToolView {
    let named = |parameter: ParameterView| ParameterView {
        name: injection::text_unless_injection(&parameter.name).to_owned(),
        description: String::new(),
        ..parameter
    };
    let parameters = view.parameters.into_iter().map(named).collect();
    ToolView { title: None, description: injection::WITHHELD.to_owned(), parameters, ..view }
}

impl ShownSet {
    pub fn of(settings: &Settings, set: &ToolSet) -> Self {
        Self {
            hash: set.hash.clone(),
            at: set.at,
            tools: set.tools.len() + set.unlisted as usize,
            url: (set.unlisted == 0).then(|| content_url(settings, &set.hash)),
        }
    }
}

/// The URL of a tool or tool set by its content address.
pub fn content_url(settings: &Settings, hash: &str) -> String {
    settings.url(&format!("/tools/{hash}"))
}

/// The changes from one stored set to another, the severest first.
pub fn changes(seen: &SeenTools, before: &ToolSet, after: &ToolSet) -> Vec<ToolChange> {
    tool_diff::between_sets(before, after, |hash| seen.definitions.get(hash).map(String::as_str))
}

pub fn severity(changes: &[ToolChange]) -> Option<Severity> {
    changes.iter().map(|change| change.severity).max()
}
