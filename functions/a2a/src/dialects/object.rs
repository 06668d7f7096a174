//! Builds JSON objects. Fields without a value are left out, as all versions of A2A require.

use serde_json::{Map, Value};

#[derive(Debug, Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    pub(super) fn put(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value.into());
        }
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object.0)
    }
}

/// A list, unless it is empty.
pub(super) fn non_empty<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}
