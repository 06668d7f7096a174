//! Checks the types of the fields of a card (A2A 1.0 §4.4, 0.3 §5.5). Clients with static types refuse a card if a
//! required field is missing or has another type. Deviations that are common in working cards only cause warnings.

use serde_json::{Map, Value};

use super::violation::{CardViolations, Findings};

/// An optional field: its name, the check of its type, and the code and fix of a wrong type.
pub(super) type Optional = (&'static str, fn(&Value) -> bool, (&'static str, &'static str));

const ONE_URL: (&str, &str) = ("url_unusable", "Write one URL as a text, or leave it out.");
const SECURITY_LIST: (&str, &str) =
    ("security_malformed", "Write a list of objects; [] if no credentials are needed.");
const SECURITY_SCHEMES: (&str, &str) = (
    "security_malformed",
    "Write an object. Its keys are the names of the schemes, and its values are objects.",
);
const SIGNATURES: (&str, &str) =
    ("signatures_malformed", "Write a list of {\"protected\", \"signature\"}, both texts, or leave it out.");
const OF_CARD: [Optional; 8] = [
    ("documentationUrl", Value::is_string, ONE_URL),
    ("iconUrl", Value::is_string, ONE_URL),
    ("securitySchemes", are_objects_by_name, SECURITY_SCHEMES),
    ("securityRequirements", are_objects, SECURITY_LIST),
    ("security", are_objects, SECURITY_LIST),
    ("signatures", are_signatures, SIGNATURES),
    (
        "supportsAuthenticatedExtendedCard",
        Value::is_boolean,
        ("flag_malformed", "Write true or false, or leave it out."),
    ),
    (
        "additionalInterfaces",
        are_objects,
        ("interfaces_malformed", "Write a list of {\"url\", \"transport\"}."),
    ),
];

const FLAG: (&str, &str) = ("capabilities_malformed", "Write true or false.");
const EXTENSIONS: (&str, &str) = ("capabilities_malformed", "Write a list of objects that have a `uri`.");
const OF_CAPABILITIES: [Optional; 5] = [
    ("streaming", is_flag, FLAG),
    ("pushNotifications", is_flag, FLAG),
    ("stateTransitionHistory", is_flag, FLAG),
    ("extendedAgentCard", is_flag, FLAG),
    ("extensions", are_extensions, EXTENSIONS),
];

/// Reports fields that are missing or of a wrong type.
pub(super) fn check(card: &Map<String, Value>, found: &mut Findings) {
    check_optional(card, "", &OF_CARD, &mut found.broken);
    for field in ["defaultInputModes", "defaultOutputModes"] {
        modes(field, card.get(field), found);
    }
    match card.get("capabilities") {
        Some(Value::Object(declared)) => {
            check_optional(declared, "capabilities.", &OF_CAPABILITIES, &mut found.broken);
        }
        other => {
            let fix = "Write an object, such as {\"streaming\": false}. Otherwise the official clients refuse the card.";
            found.broken.note("capabilities", ("capabilities_malformed", fix), other);
        }
    }
}

/// Reports optional fields of a wrong type; null counts as absent.
pub(super) fn check_optional(
    object: &Map<String, Value>,
    prefix: &str,
    fields: &[Optional],
    broken: &mut CardViolations,
) {
    for (field, is_right, rule) in fields {
        let wrong = object.get(*field).filter(|value| !value.is_null() && !is_right(value));
        if wrong.is_some() {
            broken.note(format!("{prefix}{field}"), *rule, wrong);
        }
    }
}

/// Required, but missing in working agents; 1.0 requires at least one, 0.3 a list.
fn modes(field: &str, value: Option<&Value>, found: &mut Findings) {
    let is_list = value.is_some_and(are_texts);
    if is_list && value != Some(&Value::Array(Vec::new())) {
        return;
    }
    let fix = "Write a list of media types, such as [\"text/plain\", \"application/json\"]. Without this list, \
               some clients refuse the card.";
    let is_absent = value.is_none_or(Value::is_null);
    found.warnings_if(is_list || is_absent).note(field, ("modes_missing", fix), value);
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
    let is_signature = |one: &Value| one["protected"].is_string() && one["signature"].is_string();
    value.as_array().is_some_and(|items| items.iter().all(is_signature))
}

fn are_extensions(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(|one| one["uri"].is_string()))
}

/// The flags of some cards are texts, and their agents are used.
fn is_flag(value: &Value) -> bool {
    value.is_boolean() || value.is_string()
}
