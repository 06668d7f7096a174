//! Assertions about JSON documents, and changes of them. A failed assertion prints the whole document.

use serde_json::Value;

/// Asserts that a document has these members with these values, and maybe others; null stands for a missing member.
///
/// # Panics
/// A member is missing or has another value.
#[track_caller]
pub fn assert_members(document: &Value, expected: &Value) {
    for (name, value) in expected.as_object().into_iter().flatten() {
        assert_eq!(&document[name], value, "`{name}` in {document}");
    }
}

/// The document with these members added or replaced.
#[must_use]
pub fn with_members(mut document: Value, changed: &Value) -> Value {
    for (name, value) in changed.as_object().into_iter().flatten() {
        document[name] = value.clone();
    }
    document
}
