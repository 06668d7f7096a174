//! The calls that run operations. Each call has the routes of its operation, the arguments in the query or
//! body, and the answer.

use super::components::Components;
use super::{families, parameters, responses, tag, type_name};
use crate::call::example;
use crate::prelude::*;
use registry_features::{Route, RouteInput};

pub(super) fn add(paths: &mut Map<String, Value>, components: &mut Components) {
    for operation in DESCRIPTIONS {
        for route in operation.routes {
            let mut call = match route.input {
                RouteInput::BodyByAction => families::act(route, components),
                _ => call(operation, route, components),
            };
            call["operationId"] = json!(operation_id(operation, route));
            let path = paths.entry(route.path).or_insert_with(|| json!({}));
            path[if route.is_post() { "post" } else { "get" }] = call;
        }
    }
}

/// The operation's name, with the method if it has several routes.
fn operation_id(operation: &Description, route: &Route) -> String {
    match (operation.routes.len(), route.is_post()) {
        (0 | 1, _) => operation.name.to_owned(),
        (_, false) => format!("{}_get", operation.name),
        (_, true) => format!("{}_post", operation.name),
    }
}

/// With the arguments in the body of a POST or in the query of a GET.
fn call(operation: &Description, route: &Route, components: &mut Components) -> Value {
    let owner = type_name(operation.name);
    let answer = components.adopt_as(&format!("{owner}Answer"), (operation.output_schema)());
    let schema = (route.schema)((operation.input_schema)());
    let mut call = json!({
        "operationId": null,
        "summary": operation.title,
        "description": operation.description,
        "tags": [tag(route.path)],
    });
    if route.is_post() {
        let schema = components.adopt_as(&format!("{owner}Arguments"), schema);
        let content = json!({ "application/json": { "schema": schema, "example": example(operation) } });
        call["requestBody"] = json!({ "required": true, "content": content });
    } else {
        let parameters = parameters::of_query(&schema, &owner, components);
        if !parameters.is_empty() {
            call["parameters"] = json!(parameters);
        }
    }
    let mut content = Map::from_iter([("application/json".to_owned(), json!({ "schema": answer }))]);
    for media_type in operation.files {
        content.insert((*media_type).to_owned(), json!({}));
    }
    call["responses"] = json!(responses::all(&content, responses::refusals(operation.refusals)));
    call
}
