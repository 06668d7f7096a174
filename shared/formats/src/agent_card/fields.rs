//! Checks the types of the fields of a card (A2A 1.0 §4.4, 0.3 §5.5). Clients with static types refuse a card if a
//! required field is missing or has another type. Deviations that are common in working cards only cause warnings.

use serde_json::{Map, Value};

use super::violation::CardViolations;

type Type = fn(&Value) -> bool;

/// Optional fields: name, type, code, remedy.
const OPTIONAL: [(&str, Type, &str, &str); 8] = [
    ("documentationUrl", Value::is_string, "url_unusable", "Write one URL as a text, or leave it out."),
    ("iconUrl", Value::is_string, "url_unusable", "Write one URL as a text, or leave it out."),
    (
        "securitySchemes",
        are_objects_by_name,
        "security_malformed",
        "Write an object. Its keys are the names of the schemes, and its values are objects.",
    ),
    (
        "securityRequirements",
        are_objects,
        "security_malformed",
        "Write a list of objects; [] if no credentials are needed.",
    ),
    (
        "security",
        are_objects,
        "security_malformed",
        "Write a list of objects; [] if no credentials are needed.",
    ),
    (
        "signatures",
        are_signatures,
        "signatures_malformed",
        "Write a list of {\"protected\", \"signature\"}, both texts, or leave it out.",
    ),
    (
        "supportsAuthenticatedExtendedCard",
        Value::is_boolean,
        "flag_malformed",
        "Write true or false, or leave it out.",
    ),
    (
        "additionalInterfaces",
        are_objects,
        "interfaces_malformed",
        "Write a list of {\"url\", \"transport\"}.",
    ),
];

/// Reports fields that are missing or of a wrong type; faults that occur in working agents go to `warnings`.
pub(super) fn check(card: &Map<String, Value>, broken: &mut CardViolations, warnings: &mut CardViolations) {
    for (field, is_right, code, fix) in OPTIONAL {
        let given = card.get(field).filter(|value| !value.is_null());
        if let Some(value) = given.filter(|value| !is_right(value)) {
            broken.note(field, code, Some(value), fix);
        }
    }
    for field in ["defaultInputModes", "defaultOutputModes"] {
        modes(field, card.get(field), broken, warnings);
    }
    capabilities(card.get("capabilities"), broken);
}

/// Required, but missing in working agents; 1.0 requires at least one, 0.3 a list.
fn modes(field: &str, value: Option<&Value>, broken: &mut CardViolations, warnings: &mut CardViolations) {
    let list = match value {
        Some(value) if are_texts(value) && value != &Value::Array(Vec::new()) => return,
        None | Some(Value::Null) => warnings,
        Some(value) if are_texts(value) => warnings,
        Some(_) => broken,
    };
    list.note(
        field,
        "modes_missing",
        value,
        "Write a list of media types, such as [\"text/plain\", \"application/json\"]. Without this list, \
         some clients refuse the card.",
    );
}

/// Required. The flags of some cards are texts, and their agents are used.
fn capabilities(value: Option<&Value>, broken: &mut CardViolations) {
    const FLAGS: [&str; 4] =
        ["streaming", "pushNotifications", "stateTransitionHistory", "extendedAgentCard"];
    const FIX: &str =
        "Write an object, such as {\"streaming\": false}. Otherwise the official clients refuse the card.";
    let Some(Value::Object(declared)) = value else {
        return broken.note("capabilities", "capabilities_malformed", value, FIX);
    };
    for flag in FLAGS {
        let given = declared.get(flag).filter(|value| !value.is_null());
        if let Some(value) = given.filter(|value| !value.is_boolean() && !value.is_string()) {
            broken.note(
                format!("capabilities.{flag}"),
                "capabilities_malformed",
                Some(value),
                "Write true or false.",
            );
        }
    }
    let extensions = declared.get("extensions").filter(|value| !value.is_null());
    if let Some(value) = extensions.filter(|value| !are_extensions(value)) {
        broken.note(
            "capabilities.extensions",
            "capabilities_malformed",
            Some(value),
            "Write a list of objects that have a `uri`.",
        );
    }
}

pub(super) fn are_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
}

fn are_objects(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(Value::is_object))
}

fn are_objects_by_name(value: &Value) -> bool {
    value.as_object().is_some_and(|members| members.values().all(Value::is_object))
}

fn are_signatures(value: &Value) -> bool {
    let signed = |one: &Value| one["protected"].is_string() && one["signature"].is_string();
    value.as_array().is_some_and(|items| items.iter().all(signed))
}

fn are_extensions(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(|one| one["uri"].is_string()))
}
