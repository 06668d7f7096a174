//! Tests that the OpenAPI description agrees with the specification and with the code, and does not contradict itself.

use super::common;
use crate::prelude::*;

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
fn call_names_are_unique_and_references_can_be_resolved() {
    let description = common();
    let mut names = BTreeSet::new();
    for call in calls(&description) {
        assert!(names.insert(call.rsplit(' ').next().unwrap().to_owned()), "{call}");
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
