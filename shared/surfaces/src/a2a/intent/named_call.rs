//! A call of an operation by its name. It is `{operation|tool|skill, arguments}` in a data part, the `next` object
//! of an answer, or `{action, ...}` as at an endpoint of several operations. In names, aliases and skill ids, hyphens, underscores and blanks make no difference.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use registry_features::publish::operations::list_yourself::arguments_of_server;
use registry_features::{AnyOperation, CATALOGUE};
use registry_formats::server_json;

/// Members in which clients send the name.
const NAMES: [&str; 4] = ["operation", "tool", "skill", "skill_id"];
/// Members in which clients send the arguments.
const ARGUMENTS: [&str; 5] = ["arguments", "args", "params", "parameters", "input"];

static NAMED: LazyLock<HashMap<String, &'static AnyOperation>> = LazyLock::new(|| {
    let mut named = HashMap::new();
    // A skill's id may equal the name of another operation; the name takes precedence.
    for entry in CATALOGUE.iter().copied() {
        for name in std::iter::once(&entry.name).chain(entry.aliases) {
            named.entry(canonical(name)).or_insert(entry);
        }
    }
    for entry in CATALOGUE.iter().copied() {
        for skill in entry.skills {
            named.entry(canonical(skill.id)).or_insert(entry);
        }
    }
    named
});

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// `None` if the operation does not exist.
    pub(crate) entry: Option<&'static AnyOperation>,
    pub(crate) arguments: Value,
}

/// By name, alias or skill id.
pub(crate) fn named(name: &str) -> Option<&'static AnyOperation> {
    NAMED.get(&canonical(name)).copied()
}

/// The call in a data part; `None` if it names no operation.
pub(crate) fn parse(data: &Value) -> Option<Call> {
    let data = data.as_object()?;
    if let Some(entry) = data.get("action").and_then(Value::as_str).and_then(operation_of_action)
        && !NAMES.iter().any(|member| data.contains_key(*member))
    {
        let mut arguments = data.clone();
        arguments.remove("action");
        return Some(Call { entry: Some(entry), name: entry.name.to_owned(), arguments: arguments.into() });
    }
    let name = NAMES.iter().find_map(|member| name_in(data.get(*member)?));
    // MCP's own shape, `{name, arguments}`, is a call only with arguments: a name alone may mean anything.
    let name = name.or_else(|| name_in(data.get("name")?).filter(|_| data.contains_key("arguments")))?;
    let given = ARGUMENTS.iter().find_map(|member| data.get(*member));
    // A `next` that is a POST has them in its body.
    let given = given.or_else(|| data.get("body").filter(|body| body.is_object()));
    let arguments = given.filter(|given| !given.is_null()).cloned().unwrap_or_else(|| json!({}));
    Some(Call { entry: named(&name), name, arguments })
}

/// Other words may be an action of one operation, such as `message`.
fn operation_of_action(name: &str) -> Option<&'static AnyOperation> {
    named(name).filter(|entry| entry.name == canonical(name))
}

fn name_in(value: &Value) -> Option<String> {
    let name =
        value.as_str().or_else(|| value.get("id")?.as_str()).or_else(|| value.get("name")?.as_str())?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// The members of a data part that is not a call. A server description is one argument.
pub(crate) fn loose_arguments(data: &Value) -> Map<String, Value> {
    match data {
        Value::Object(members) if server_json::looks_like(members) => arguments_of_server(members.clone()),
        Value::Object(members) if parse(data).is_none() => members.clone(),
        _ => Map::new(),
    }
}

fn canonical(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace(['-', ' '], "_")
}

#[cfg(test)]
mod tests;
