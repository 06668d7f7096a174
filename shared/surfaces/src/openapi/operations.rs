//! The calls that run operations. Each call has the routes of its operation, the arguments in the query or
//! body, and the answer.

use super::components::Components;
use super::{families, parameters, responses, tag, type_name};
use crate::call::example;
use crate::prelude::*;
use registry_operations::{Route, RouteInput};

pub(super) fn add(paths: &mut Map<String, Value>, components: &mut Components) {
    for operation in DESCRIPTIONS {
        let answer =
            components.adopt_as(&format!("{}Answer", type_name(operation.name)), (operation.output_schema)());
        let arguments = (operation.input_schema)();
        for route in operation.routes {
            let mut call = match route.input {
                RouteInput::Query | RouteInput::QueryAs(_) => {
                    read(operation, &arguments, &answer, route, components)
                }
                RouteInput::BodyAs(_) => act(operation, &arguments, &answer, route, components),
                RouteInput::BodyByAction => families::act(route, components),
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

fn read(
    operation: &Description,
    arguments: &Value,
    answer: &Value,
    route: &Route,
    components: &mut Components,
) -> Value {
    let owner = type_name(operation.name);
    let parameters = parameters::of_query(&(route.schema)(arguments.clone()), &owner, components);
    let mut call = described(operation, route);
    if !parameters.is_empty() {
        call["parameters"] = json!(parameters);
    }
    call["responses"] = json!(answers(operation, answer, route, !parameters.is_empty(), false));
    call
}

fn act(
    operation: &Description,
    arguments: &Value,
    answer: &Value,
    route: &Route,
    components: &mut Components,
) -> Value {
    let owner = type_name(operation.name);
    let schema = components.adopt_as(&format!("{owner}Arguments"), (route.schema)(arguments.clone()));
    let mut call = described(operation, route);
    call["requestBody"] = json!({
        "required": true,
        "content": { "application/json": { "schema": schema, "example": example(operation) } },
    });
    call["responses"] = json!(answers(operation, answer, route, false, true));
    call
}

fn described(operation: &Description, route: &Route) -> Value {
    json!({
        "operationId": null,
        "summary": operation.title,
        "description": operation.description,
        "tags": [tag(route.path)],
    })
}

fn answers(
    operation: &Description,
    answer: &Value,
    route: &Route,
    takes_query: bool,
    takes_body: bool,
) -> Map<String, Value> {
    let mut content = Map::from_iter([("application/json".to_owned(), json!({ "schema": answer }))]);
    for media_type in operation.files {
        content.insert((*media_type).to_owned(), json!({}));
    }
    let kept = route.max_age_s.is_some();
    let mut all = responses::success(operation.title, &content, kept);
    all.extend(responses::refusals(operation.refusals, takes_query, takes_body));
    all
}
