//! Returns a sample event for every route and schedule. Some events are files in `events/`. The other events
//! are built from the example of the operation that the route calls, so a new operation needs no file.

use std::fs;

use bytes::Bytes;
use form_urlencoded::Serializer;
use http::Request;
use registry::features::{AnyOperation, CATALOGUE, Route, RouteInput};
use registry::model::CallerAddress;
use serde_json::{Value, json};

use crate::gateway_events;
use crate::template::{TEMPLATE, root, sample_event};

/// Every sample event with its name, sorted by name.
pub fn all() -> Vec<(String, Value)> {
    let mut events = Vec::new();
    for file in fs::read_dir(root().join("events")).unwrap() {
        let name = file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        let event = sample_event(&name);
        events.push((name, event));
    }
    for operation in CATALOGUE {
        for route in operation.routes {
            if !events.iter().any(|(_, event)| event["rawPath"] == route.path) {
                events.push((operation.name.to_owned(), of_route(operation, route)));
            }
        }
    }
    events.sort_by(|a, b| a.0.cmp(&b.0));
    events
}

/// The event that API Gateway would send for a call of an operation with its example.
fn of_route(operation: &AnyOperation, route: &Route) -> Value {
    let example: Value = serde_json::from_str(operation.example).unwrap();
    let (uri, body) = match route.input {
        RouteInput::Query | RouteInput::QueryAs(_) => {
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let pairs = example.as_object().into_iter().flatten().map(|(name, value)| (name, text(value)));
            let query = Serializer::new(String::new()).extend_pairs(pairs).finish();
            (format!("{}?{query}", route.path), String::new())
        }
        RouteInput::BodyAs(_) => (route.path.to_owned(), example.to_string()),
        RouteInput::BodyByAction => (route.path.to_owned(), example_of_an_action(route.path).to_string()),
    };
    let request = Request::builder().method(if body.is_empty() { "GET" } else { "POST" }).uri(uri);
    let request = request.header("host", "registry.example.org").header("content-type", "application/json");
    let request = request.extension(CallerAddress([192, 0, 2, 1].into())).body(Bytes::from(body)).unwrap();
    let mut event = gateway_events::event(&request);
    let key = json!(TEMPLATE.route_key(route.path));
    event["requestContext"]["routeKey"] = key.clone();
    event["routeKey"] = key;
    event
}

/// The first action of a family's endpoint, with its example.
fn example_of_an_action(path: &str) -> Value {
    let mut members =
        CATALOGUE.iter().flat_map(|operation| operation.actions.iter().map(|action| (*action, *operation)));
    let (action, operation) = members.find(|(action, _)| action.path == path).unwrap();
    let mut example: Value = serde_json::from_str(operation.example).unwrap();
    example["action"] = json!(action.name);
    example
}
