//! The arguments of an operation as lists tell them, read from its schema.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use registry_operations::Description;

/// An argument of a tool.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) required: bool,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
}

/// The arguments of an operation.
pub(super) fn of(operation: &Description) -> Vec<Argument> {
    let schema: Value = (operation.input_schema)();
    let is_required =
        |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let argument = |(name, property): (&String, &Value)| Argument {
        name: name.clone(),
        required: is_required(name),
        description: property["description"].as_str().map(str::to_owned),
    };
    schema["properties"].as_object().into_iter().flatten().map(argument).collect()
}
