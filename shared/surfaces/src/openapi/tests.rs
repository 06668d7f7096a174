//! Tests that the OpenAPI description agrees with the specification and with the code, and does not contradict itself.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{common, described};
use registry_operations::DESCRIPTIONS;

/// Every call as a line `METHOD path operationId`.
fn calls(description: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, methods) in description["paths"].as_object().unwrap() {
        for (method, call) in methods.as_object().unwrap() {
            lines.push(format!("{} {path} {}", method.to_uppercase(), call["operationId"].as_str().unwrap()));
        }
    }
    lines
}

#[test]
fn calls_match_the_stored_list() {
    let calls = calls(&common()).join("\n") + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/openapi/calls.txt"), &calls).unwrap();
    }
    assert_eq!(calls, include_str!("calls.txt"), "UPDATE=1 updates the list");
}

#[test]
fn every_route_and_document_is_described() {
    let description = common();
    for operation in DESCRIPTIONS {
        for route in operation.routes {
            let call = &description["paths"][route.path][if route.is_post() { "post" } else { "get" }];
            assert!(call["operationId"].is_string(), "{}: {}", operation.name, route.path);
        }
        for action in operation.actions {
            let text = description["paths"][action.path].to_string();
            assert!(text.contains(&format!("`{}`", action.name)), "{}", operation.name);
        }
    }
    for document in described() {
        for path in document.paths {
            assert!(description["paths"][path.replace("{*", "{")]["get"].is_object(), "{path}");
        }
    }
}

#[test]
fn call_names_are_unique_and_references_can_be_resolved() {
    let description = common();
    let mut seen = BTreeSet::new();
    for call in calls(&description) {
        let name = call.rsplit(' ').next().unwrap().to_owned();
        assert!(seen.insert(name), "{call}");
    }
    let mut open = vec![&description];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(target)) = members.get("$ref") {
                    let pointer = target.strip_prefix('#').unwrap();
                    assert!(description.pointer(pointer).is_some(), "{target}");
                }
                open.extend(members.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}
