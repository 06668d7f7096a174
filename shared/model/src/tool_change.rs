//! A change of a tool between two looks at a server, and how much it matters to clients that already use the tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

string_enum! {
    /// How much a change matters to a client that already uses the tool, the least first.
    #[derive(JsonSchema)]
    pub enum Severity {
        /// Calls keep working and mean the same.
        Info = "info",
        /// Read the new text or schema before the next call.
        Review = "review",
        /// Calls that worked before may be refused.
        Breaking = "breaking",
        /// The tool may do harm, or its texts instruct models.
        Danger = "danger",
    }
}

string_enum! {
    /// What changed.
    #[derive(JsonSchema)]
    pub enum ToolChangeKind {
        ToolAdded = "tool_added",
        /// A new tool that declares to delete or overwrite something.
        DestructiveToolAdded = "destructive_tool_added",
        ToolRemoved = "tool_removed",
        /// An argument is new and required, or was optional before.
        ArgumentRequired = "argument_required",
        /// A new optional argument.
        ArgumentAdded = "argument_added",
        ArgumentRemoved = "argument_removed",
        /// An argument is no longer required.
        ArgumentOptional = "argument_optional",
        /// A value that was accepted before has a wrong type now.
        ArgumentType = "argument_type",
        /// More types are accepted than before.
        ArgumentTypeWider = "argument_type_wider",
        /// Fewer values are accepted than before.
        ArgumentValues = "argument_values",
        ArgumentDescription = "argument_description",
        /// Another part of the schema of an argument.
        ArgumentSchema = "argument_schema",
        /// Another part of the input schema.
        InputSchema = "input_schema",
        OutputSchema = "output_schema",
        Title = "title",
        Description = "description",
        /// The description is longer than before.
        DescriptionWider = "description_wider",
        Annotations = "annotations",
        /// The tool declares to change more than before.
        MoreDestructive = "more_destructive",
        /// A text that gives instructions to models is new.
        Injection = "injection",
        /// Another member of the definition.
        Other = "other",
        /// The definition changed, but one of the two definitions is not stored.
        NotCompared = "not_compared",
    }
}

/// A change of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolChange {
    /// The name of the tool.
    pub tool: String,
    pub kind: ToolChangeKind,
    pub severity: Severity,
    /// The name of the argument that changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The value before the change, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The value after the change, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}
