//! What a probe reads of an MCP server in addition to its facts: the whole definitions of its tools, and its resources,
//! resource templates and prompts. They are large, so they are stored in items of their own and only when they change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Moment;

/// Names the format of a tool set's hash in `tools_hash`. Hashes of different formats cannot be compared.
const SET_FORMAT: &str = "sha256:";

/// The tools of a server, and the rest that it offers, as one probe read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedServer {
    /// SHA-256 (hex) over the canonical JSON of the sorted hashes of all tools.
    pub set: String,
    /// Sorted by name.
    pub tools: Vec<ObservedTool>,
    /// Tools that are part of the set's hash, but do not fit into [`Self::tools`].
    pub unlisted: u32,
    /// `None` if the probe did not ask for them.
    pub contents: Option<ServerContents>,
}

/// A tool as a probe read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedTool {
    pub name: String,
    /// SHA-256 (hex) over the canonical definition.
    pub hash: String,
    /// The canonical definition; `None` if it is too large to store.
    pub definition: Option<String>,
}

/// The tools of a server from one probe on, until the next set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSet {
    /// Counts the sets of a listing, from 0.
    pub number: u32,
    /// When a probe found this set first.
    pub at: Moment,
    /// SHA-256 (hex) over the canonical JSON of the sorted hashes of all tools.
    pub hash: String,
    /// Sorted by name.
    pub tools: Vec<ListedTool>,
    /// Tools that are part of the hash, but not in `tools`.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub unlisted: u32,
}

/// A tool of a [`ToolSet`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedTool {
    pub name: String,
    /// SHA-256 (hex) over the canonical definition.
    pub hash: String,
}

/// What an MCP server offers in addition to its tools. A list is absent if the server does not offer it, or did not
/// answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerContents {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ContentList>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_templates: Option<ContentList>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<ContentList>,
}

/// The first page of a list of resources, resource templates or prompts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContentList {
    /// How many entries the first page of the server contains.
    pub count: u32,
    /// Whether the server has further pages.
    pub more: bool,
    /// SHA-256 (hex) over the canonical JSON of the whole page.
    pub hash: String,
    /// The entries that fit the limits and contain plain texts.
    pub entries: Vec<ContentEntry>,
}

/// A resource, a resource template or a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContentEntry {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The URI of a resource, or the URI template of a resource template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The arguments of a prompt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PromptArgument>,
}

/// An argument of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptArgument {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub required: bool,
}

impl ServerContents {
    pub const fn is_empty(&self) -> bool {
        self.resources.is_none() && self.resource_templates.is_none() && self.prompts.is_none()
    }
}

/// The `tools_hash` of a server without tools.
pub const NO_TOOLS: &str = "sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945";

pub fn tools_hash(set: &str) -> String {
    format!("{SET_FORMAT}{set}")
}

/// The hash of the tool set in a `tools_hash`; `None` for formats of earlier versions.
pub fn set_of_tools_hash(tools_hash: &str) -> Option<&str> {
    tools_hash.strip_prefix(SET_FORMAT)
}
