//! Returns a sample event for every route and schedule. Some events are files in `events/`. The other events
//! are built from the example of the operation that the route calls, so a new operation needs no file.

use std::fs;

use form_urlencoded::Serializer;
use registry::features::{AnyOperation, CATALOGUE, Route, RouteInput};
use serde_json::{Value, json};

use crate::template::{root, sample_event};

/// Every sample event with its name, sorted by name.
///
/// # Errors
/// A file cannot be read or does not contain JSON.
pub fn all() -> std::io::Result<Vec<(String, Value)>> {
    let mut events = Vec::new();
    for file in fs::read_dir(root().join("events"))? {
        let name = file?.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let event = sample_event(&name)?;
        events.push((name, event));
    }
    for operation in CATALOGUE {
        for route in operation.routes {
            if !events.iter().any(|(_, event)| event["rawPath"] == route.path) {
                events.push((operation.name.to_owned(), of_route(operation, route)?));
            }
        }
    }
    events.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(events)
}

/// The event that API Gateway would send for a call of an operation with its example.
fn of_route(operation: &AnyOperation, route: &Route) -> std::io::Result<Value> {
    let mut event = sample_event("status")?;
    let example: Value = serde_json::from_str(operation.example)?;
    let key = format!("ANY {}", route.path);
    event["routeKey"] = json!(key);
    event["requestContext"]["routeKey"] = json!(key);
    event["rawPath"] = json!(route.path);
    event["requestContext"]["http"]["path"] = json!(route.path);
    match route.input {
        RouteInput::Query | RouteInput::QueryAs(_) => {
            let texts = example.as_object().into_iter().flatten().map(|(name, value)| match value {
                Value::String(text) => (name.clone(), text.clone()),
                other => (name.clone(), other.to_string()),
            });
            let texts: Vec<(String, String)> = texts.collect();
            event["rawQueryString"] = json!(Serializer::new(String::new()).extend_pairs(&texts).finish());
            event["queryStringParameters"] =
                texts.into_iter().map(|(name, text)| (name, json!(text))).collect();
        }
        RouteInput::BodyAs(_) | RouteInput::BodyByAction => {
            let example = match route.input {
                RouteInput::BodyByAction => example_of_an_action(route.path)?,
                _ => example,
            };
            event["rawQueryString"] = json!("");
            event["requestContext"]["http"]["method"] = json!("POST");
            event["headers"]["content-type"] = json!("application/json");
            event["body"] = json!(example.to_string());
        }
    }
    Ok(event)
}

/// The first action of a family's endpoint, with its example.
fn example_of_an_action(path: &str) -> std::io::Result<Value> {
    let mut members =
        CATALOGUE.iter().flat_map(|operation| operation.actions.iter().map(|action| (*action, *operation)));
    let Some((action, operation)) = members.find(|(action, _)| action.path == path) else {
        return Err(std::io::Error::other(format!("{path} has no action")));
    };
    let mut example: Value = serde_json::from_str(operation.example)?;
    example["action"] = json!(action.name);
    Ok(example)
}
