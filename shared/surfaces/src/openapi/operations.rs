//! The calls that run operations. Each call has the routes of its operation, the arguments in the query or
//! body, and the answer. On the path of a family, `action` selects one of several operations; the schemas of arguments and
//! answers are then alternatives, one for each action.

use super::components::Components;
use super::{parameters, responses, tag, type_name};
use crate::call::{self, example};
use crate::prelude::*;
use registry_features::{Route, RouteInput};

pub(super) fn add(paths: &mut Map<String, Value>, components: &mut Components) {
    for operation in DESCRIPTIONS {
        for route in operation.routes {
            let mut call = match route.input {
                RouteInput::BodyByAction => call_of_family(route, components),
                _ => call_of_operation(operation, route, components),
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
fn call_of_operation(operation: &Description, route: &Route, components: &mut Components) -> Value {
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
        let parameters = parameters::query_parameters(&schema, &owner, components);
        if !parameters.is_empty() {
            call["parameters"] = json!(parameters);
        }
    }
    let mut content = Map::from_iter([("application/json".to_owned(), json!({ "schema": answer }))]);
    for media_type in operation.files {
        content.insert((*media_type).to_owned(), json!({}));
    }
    call["responses"] = json!(responses::with_errors(&content, responses::refusals(operation.refusals)));
    call
}

/// The operations behind a path, with their action names.
fn actions_of(path: &str) -> Vec<(&'static Description, Vec<&'static str>)> {
    let named = |operation: &Description| {
        let actions = operation.actions.iter().filter(|action| action.path == path);
        actions.map(|action| action.name).collect::<Vec<_>>()
    };
    let all = DESCRIPTIONS.iter().map(|operation| (*operation, named(operation)));
    all.filter(|(_, names)| !names.is_empty()).collect()
}

/// POST: the body names an action. GET describes the family, like every operation without arguments.
fn call_of_family(route: &Route, components: &mut Components) -> Value {
    let all = actions_of(route.path);
    let mut alternatives = Vec::new();
    let mut examples = Map::new();
    for (operation, names) in &all {
        let owner = type_name(operation.name);
        let schema = with_action((operation.input_schema)(), names);
        let family = type_name(route.path.rsplit('/').next().unwrap_or_default());
        alternatives.push(components.adopt_as(&format!("{family}{owner}Action"), schema));
        let body = call::with_action(names.first().copied().unwrap_or_default(), &example(operation));
        examples.insert(operation.name.to_owned(), json!({ "value": body }));
    }
    let operations: Vec<&Description> = all.iter().map(|(operation, _)| *operation).collect();
    json!({
        "operationId": null,
        "summary": format!("{}, by its actions", route.path.rsplit('/').next().unwrap_or_default()),
        "description": format!("`action` selects the operation.{}", action_list(&all)),
        "tags": [tag(route.path)],
        "requestBody": {
            "required": true,
            "content": { "application/json": { "schema": { "oneOf": alternatives }, "examples": examples } },
        },
        "responses": answers_of_family(&operations, components),
    })
}

fn with_action(mut schema: Value, names: &[&str]) -> Value {
    if schema["properties"].is_null() {
        schema["properties"] = json!({});
    }
    schema["properties"]["action"] = json!({ "type": "string", "enum": names });
    match schema.get_mut("required").and_then(Value::as_array_mut) {
        Some(required) => {
            required.retain(|name| name != "action");
            required.push(json!("action"));
        }
        None => schema["required"] = json!(["action"]),
    }
    schema
}

fn action_list(members: &[(&'static Description, Vec<&'static str>)]) -> String {
    let line = |(operation, names): &(&Description, Vec<&str>)| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        format!("\n- {}: {}", names.join(" or "), operation.description)
    };
    let lines: String = members.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("\n\nActions:\n{lines}") }
}

fn answers_of_family(operations: &[&Description], components: &mut Components) -> Map<String, Value> {
    let mut alternatives: Vec<Value> = Vec::new();
    let mut own: Vec<ErrorKind> = Vec::new();
    for operation in operations {
        let answer =
            components.adopt_as(&format!("{}Answer", type_name(operation.name)), (operation.output_schema)());
        if !alternatives.contains(&answer) {
            alternatives.push(answer);
        }
        own.extend(operation.refusals);
    }
    let content =
        Map::from_iter([("application/json".to_owned(), json!({ "schema": { "anyOf": alternatives } }))]);
    responses::with_errors(&content, responses::refusals(&own))
}
