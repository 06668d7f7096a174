//! Reads fields of a client's JSON. A field has a camel-case name, but some clients send it in snake case. Errors
//! contain the name of the field. A number may be a string, because the REST binding sends numbers in the query.

use super::id::is_valid_id;
use super::v1::MAX_HISTORY_LENGTH;
use crate::errors::RpcError;
use crate::prelude::*;

/// The members of one object, and its path for errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    members: &'a Map<String, Value>,
    path: &'a str,
}

impl<'a> Fields<'a> {
    pub(super) const fn of(members: &'a Map<String, Value>, path: &'a str) -> Self {
        Self { members, path }
    }

    pub(super) fn at(value: &'a Value, path: &'a str) -> Result<Self, RpcError> {
        let members = value.as_object().ok_or_else(|| RpcError::param(path, "must be an object."))?;
        Ok(Self { members, path })
    }

    /// A member by its camel-case name; null counts as absent.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        let found = self.members.get(name).or_else(|| self.members.get(&snake(name)));
        found.filter(|value| !value.is_null())
    }

    pub(super) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    pub(super) fn wrong(&self, name: &str, detail: &str) -> RpcError {
        RpcError::param(self.path_of(name), detail)
    }

    /// A string; the empty one counts as absent.
    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, RpcError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(self.wrong(name, "must be a string.")),
        }
    }

    /// A string that can be stored as an id.
    pub(super) fn id(&self, name: &str) -> Result<Option<String>, RpcError> {
        let Some(id) = self.text(name)? else { return Ok(None) };
        if !is_valid_id(id) {
            return Err(self.wrong(name, "must have at most 128 characters and no control characters."));
        }
        Ok(Some(id.to_owned()))
    }

    pub(super) fn number(&self, name: &str, min: u64, max: u64) -> Result<Option<u64>, RpcError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = match value {
            Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        number.filter(|number| (min..=max).contains(number)).map(Some).ok_or_else(|| {
            let given = shorten(&value.to_string(), 40);
            self.wrong(name, &format!("must be a whole number from {min} to {max}, not {given}."))
        })
    }

    pub(super) fn history_length(&self) -> Result<Option<u64>, RpcError> {
        self.number("historyLength", 0, MAX_HISTORY_LENGTH)
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, RpcError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::String(text)) if text == "true" => Ok(Some(true)),
            Some(Value::String(text)) if text == "false" => Ok(Some(false)),
            Some(_) => Err(self.wrong(name, "must be true or false.")),
        }
    }

    /// A list of strings; absent counts as empty.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, RpcError> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let owned = |text: &Value| text.as_str().map(str::to_owned);
        let texts = value.as_array().and_then(|list| list.iter().map(owned).collect());
        texts.ok_or_else(|| self.wrong(name, "must be a list of strings."))
    }
}

/// Some JSON libraries write whole numbers as `10.0`.
fn whole(number: f64) -> Option<u64> {
    let fits = number.fract() == 0.0 && (0.0..=9e15).contains(&number);
    fits.then(|| format!("{number:.0}").parse().ok()).flatten()
}

fn snake(camel: &str) -> String {
    let written = |c: char| c.is_ascii_uppercase().then_some('_').into_iter().chain([c.to_ascii_lowercase()]);
    camel.chars().flat_map(written).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_names_may_be_in_camel_case_or_snake_case() {
        let value = json!({ "page_size": "10", "historyLength": 3.0, "contextId": null, "flag": true });
        let fields = Fields::at(&value, "").unwrap();
        assert_eq!(fields.number("pageSize", 1, 100), Ok(Some(10)));
        assert_eq!(fields.number("historyLength", 0, 5), Ok(Some(3)));
        assert_eq!(fields.id("contextId"), Ok(None));
        assert_eq!(fields.flag("flag"), Ok(Some(true)));
        for (name, wrong) in
            [("n", json!(0)), ("n", json!(101)), ("n", json!(-1)), ("n", json!("x")), ("n", json!([]))]
        {
            let value = json!({ name: wrong });
            assert!(Fields::at(&value, "").unwrap().number(name, 1, 100).is_err(), "{wrong}");
        }
        let long = json!({ "id": "x".repeat(129) });
        assert!(Fields::at(&long, "").unwrap().id("id").is_err());
        assert!(Fields::at(&json!([]), "p").is_err());
    }
}
