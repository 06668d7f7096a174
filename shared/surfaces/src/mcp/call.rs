//! `tools/call`: runs an operation of the catalog by its name. If the tool fails, the reply is a result with
//! `isError`, so that the model sees the error and can correct its call. If the call names no existing tool,
//! the reply is a protocol error.

use crate::prelude::*;
use registry_features::operation::short::{View, as_markdown};
use registry_features::operation::toolsets::{FAMILIES, Toolset};
use registry_features::{self as operations, AnyOperation, RawArguments};

use super::negotiate::Era;
use crate::errors::{self, RpcError};
use crate::json_rpc::raw;

#[derive(Debug)]
pub(super) struct Outcome {
    /// The answer or a problem document.
    pub(super) content: Arc<RawValue>,
    /// The same for a model that reads only text.
    pub(super) text: Box<str>,
    pub(super) is_error: bool,
}

pub(super) fn operation(params: &Map<String, Value>) -> Result<&'static AnyOperation, RpcError> {
    match params.get("name") {
        Some(Value::String(name)) => operations::named(name).ok_or_else(|| unknown(name)),
        _ => Err(RpcError::params("`params.name` must be the name of a tool.")),
    }
}

pub(super) async fn call(
    app: &App,
    caller: Caller,
    era: Era,
    operation: &AnyOperation,
    mut params: Map<String, Value>,
) -> Result<Outcome, RpcError> {
    let arguments = match params.remove("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Err(RpcError::params("`params.arguments` must be an object.")),
    };
    run(app, caller, operation, arguments).await.or_else(|problem| failure(operation, era, problem))
}

async fn run(
    app: &App,
    caller: Caller,
    operation: &AnyOperation,
    mut arguments: Map<String, Value>,
) -> Result<Outcome, Problem> {
    let view = View::of_arguments(operation, &mut arguments)?;
    operation.check_names(&arguments)?;
    let arguments = RawArguments::Json(arguments.into());
    if view == View::Full {
        let answer = operation.render(app.clone(), caller, arguments).await?;
        return Ok(Outcome { text: answer.get().into(), content: answer.into(), is_error: false });
    }
    let answer = view.of(operation, operation.run(app.clone(), caller, arguments).await?);
    Ok(Outcome { text: as_markdown(&answer).into(), content: raw(&answer), is_error: false })
}

fn unknown(name: &str) -> RpcError {
    let shown = FAMILIES.iter().filter(|family| !family.is_for_operators());
    let names: Vec<&str> = shown.flat_map(Toolset::operations).map(|entry| entry.name).collect();
    RpcError::params(format!("Unknown tool: {}", shorten(name, 120))).with_data(json!({ "tools": names }))
}

fn failure(entry: &AnyOperation, era: Era, problem: Problem) -> Result<Outcome, RpcError> {
    if let Some(internal) = &problem.internal {
        tracing::error!(tool = entry.name, code = problem.code.as_str(), internal, "tool failed");
    }
    let mut document = errors::document(&problem);
    if let Some(next) = default_next(entry, &problem).filter(|_| document.get("next").is_none()) {
        document["next"] = next;
    }
    if are_bad_arguments(&problem) && !era.reports_bad_arguments_as_results() {
        return Err(RpcError::params(problem.detail).with_data(document));
    }
    Ok(Outcome { text: document.to_string().into(), content: raw(&document), is_error: true })
}

/// Whether the arguments did not match the tool's schema, so that the tool never ran.
fn are_bad_arguments(problem: &Problem) -> bool {
    matches!(
        problem.code,
        Code::Malformed | Code::InvalidArguments | Code::InvalidArgument | Code::UnknownArgument
    )
}

/// The `next` of a problem that has none of its own; `None` if only its detail says what to do.
fn default_next(entry: &AnyOperation, problem: &Problem) -> Option<Value> {
    match (problem.retry_after, problem.kind) {
        (Some(seconds), _) => {
            Some(json!({ "action": "wait", "note": format!("Call the tool again after {seconds} s.") }))
        }
        (None, ErrorKind::Fault) => {
            Some(json!({ "action": "wait", "note": "Internal error. Call the tool again later." }))
        }
        (None, ErrorKind::Malformed | ErrorKind::Invalid) => Some(json!({
            "action": "call_tool",
            "tool": entry.name,
            "arguments": serde_json::from_str::<Value>(entry.example).unwrap_or_default(),
            "note": "Correct the arguments as `detail` says. Then call the tool again. `arguments` shows the form \
                of a call, with values that only stand for yours.",
        })),
        (None, _) => None,
    }
}
