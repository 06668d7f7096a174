//! Assertions about texts and JSON documents, and changes of documents. A failed assertion prints the whole document.

use serde_json::Value;

/// Asserts that a document has these members with these values, and maybe others; null stands for a missing member. A
/// name that begins with `/` is a JSON pointer; there, a member that is null is not missing.
#[track_caller]
pub fn assert_members(document: &Value, expected: &Value) {
    for (name, value) in expected.as_object().into_iter().flatten() {
        if name.starts_with('/') {
            let value = Some(value).filter(|value| !value.is_null());
            assert_eq!(document.pointer(name), value, "`{name}` in {document}");
        } else {
            assert_eq!(&document[name], value, "`{name}` in {document}");
        }
    }
}

/// Asserts that a text contains each of these texts.
#[track_caller]
pub fn assert_contains(text: &str, expected: &[&str]) {
    for part in expected {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
}

/// The document with these members added or replaced.
pub fn with_members(mut document: Value, changed: &Value) -> Value {
    for (name, value) in changed.as_object().into_iter().flatten() {
        document[name] = value.clone();
    }
    document
}
