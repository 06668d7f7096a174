//! Parses the arguments of an operation from a query string or a JSON value. An error contains the name of
//! the field and the accepted values.

use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

use registry_model::error::{Code, Problem, shorten};

#[derive(Clone, Debug)]
pub enum RawArguments {
    /// A query string, without its question mark.
    Query(String),
    Json(Value),
}

impl RawArguments {
    pub(crate) fn names(&self) -> Vec<String> {
        match self {
            Self::Query(query) => {
                form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name.into_owned()).collect()
            }
            Self::Json(value) => {
                value.as_object().into_iter().flat_map(|members| members.keys().cloned()).collect()
            }
        }
    }

    /// # Errors
    /// 400 if it is not an object, 422 with the field that is invalid.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, Problem> {
        match self {
            Self::Query(query) => from_query(&query),
            Self::Json(value) => from_json(value),
        }
    }
}

/// Characters of a parameter of a query. Servers and proxies refuse URLs with 64 KB or less, and a character can need twelve
/// bytes there.
pub const MAX_PARAMETER_CHARS: usize = 5000;

pub fn from_query<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let too_long = form_urlencoded::parse(query.as_bytes())
        .find(|(_, value)| value.chars().nth(MAX_PARAMETER_CHARS).is_some());
    if let Some((name, _)) = too_long {
        let name = shorten(&name, 60);
        let detail = format!("`{name}` is too long: at most {MAX_PARAMETER_CHARS} characters in a URL.");
        return Err(Problem::invalid(name, Code::TooLong, detail));
    }
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(pairs).map_err(|error| unreadable(&error))
}

pub fn from_json<T: DeserializeOwned>(value: Value) -> Result<T, Problem> {
    if !value.is_object() {
        return Err(Problem::malformed("The arguments must be a JSON object."));
    }
    serde_path_to_error::deserialize(with_integers(value)).map_err(|error| unreadable(&error))
}

/// Converts floats without a fraction to integers: JSON Schema accepts `3.0` as an integer, and clients that use a
/// protobuf `Value` can only send floats.
fn with_integers(value: Value) -> Value {
    match value {
        Value::Number(number) => as_integer(&number).map_or(Value::Number(number), Value::from),
        Value::Array(values) => values.into_iter().map(with_integers).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, with_integers(value))).collect()
        }
        other => other,
    }
}

fn as_integer(number: &Number) -> Option<i64> {
    /// 2^53: up to here a float represents every integer exactly.
    const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
    let float = number
        .as_f64()
        .filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() <= MAX_EXACT)?;
    format!("{float:.0}").parse().ok()
}

fn unreadable<E: std::error::Error>(error: &serde_path_to_error::Error<E>) -> Problem {
    let field = error.path().to_string();
    let message = error.inner().to_string();
    let detail = shorten(&readable(&message), 300);
    match field_in(&message) {
        _ if field != "." => Problem::invalid(&field, Code::InvalidArgument, format!("`{field}`: {detail}.")),
        Some(named) => Problem::invalid(named, Code::InvalidArgument, format!("{detail}.")),
        None => Problem::new(Code::InvalidArguments, format!("{detail}.")),
    }
}

/// Replaces some of serde's messages.
fn readable(detail: &str) -> String {
    let not_numbers = ["invalid digit ", "cannot parse integer ", "number too large "];
    if not_numbers.iter().any(|start| detail.starts_with(start)) {
        return "must be a whole number in digits, and not too large".to_owned();
    }
    if let Some(name) = detail.strip_prefix("missing field ") {
        return format!("{name} is required");
    }
    let unknown = detail.strip_prefix("unknown variant ");
    if let Some((value, accepted)) = unknown.and_then(|rest| rest.rsplit_once("`, expected ")) {
        return format!("unknown value {}`, expected {accepted}", shorten(value, 60));
    }
    match detail.rsplit_once("expected ") {
        Some((before, "string or map")) => format!("{before}expected a string"),
        Some((_, "map with a single key")) => "invalid type: map, expected a string".to_owned(),
        Some((before, kind)) if kind.starts_with("struct ") => format!("{before}expected an object"),
        Some((before, "f32" | "f64")) => format!("{before}expected a number"),
        Some((before, "u8" | "u16" | "u32" | "u64" | "i64")) => {
            format!("{before}expected a whole number in range")
        }
        _ => detail.to_owned(),
    }
}

/// A missing or duplicate field: serde names it in the message only, and its object in the path.
fn field_in(detail: &str) -> Option<&str> {
    let rest = detail.strip_prefix("missing field `").or_else(|| detail.strip_prefix("duplicate field `"))?;
    rest.split('`').next()
}

#[cfg(test)]
mod tests;
