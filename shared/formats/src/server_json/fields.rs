//! Reads fields of a document whose types are not checked yet. A field of the wrong type counts as absent,
//! because the schema check reports it.

use serde_json::Value;

/// A text that is not empty.
pub(super) fn text(value: Option<&Value>) -> Option<&str> {
    value?.as_str().filter(|text| !text.is_empty())
}

/// The items of a list; none where there is no list.
pub(super) fn items(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}
