//! Arguments of an operation from a query string or a JSON value. An argument that cannot be read is reported by its
//! field's name and what it may be.

use http::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Problem, shorten};

/// Arguments as a caller sent them.
#[derive(Clone, Debug)]
pub enum RawArguments {
    /// A query string, without its question mark.
    Query(String),
    /// A JSON value.
    Json(Value),
}

impl RawArguments {
    /// Reads them into the type that an operation takes.
    ///
    /// # Errors
    /// 400 where it is no object, 422 with the field that cannot be taken.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, Problem> {
        match self {
            Self::Query(query) => from_query(&query),
            Self::Json(value) => from_json(value),
        }
    }
}

/// Reads arguments out of a query string.
///
/// # Errors
/// 422 with the field that cannot be taken.
pub fn from_query<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(pairs).map_err(|error| unreadable(&error))
}

/// Reads an operation's arguments out of a JSON value.
///
/// # Errors
/// 400 where it is no object, 422 with the field that cannot be taken.
pub fn from_json<T: DeserializeOwned>(value: Value) -> Result<T, Problem> {
    if !value.is_object() {
        return Err(Problem::malformed("The arguments must be a JSON object."));
    }
    serde_path_to_error::deserialize(value).map_err(|error| unreadable(&error))
}

fn unreadable<E: std::error::Error>(error: &serde_path_to_error::Error<E>) -> Problem {
    let field = error.path().to_string();
    let detail = plainly(&shorten(&error.inner().to_string(), 300));
    if let Some(named) = named_by(&detail) {
        return Problem::invalid(named, "invalid_argument", format!("{detail}."));
    }
    if field == "." {
        return Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_arguments", format!("{detail}."));
    }
    Problem::invalid(&field, "invalid_argument", format!("`{field}`: {detail}."))
}

/// What serde says of a number that is none, for people.
fn plainly(detail: &str) -> String {
    const NO_NUMBER: [&str; 3] = [
        "invalid digit found in string",
        "cannot parse integer from empty string",
        "number too large to fit in target type",
    ];
    if NO_NUMBER.contains(&detail) {
        return "it must be a whole number, written in digits and not too large".to_owned();
    }
    detail.to_owned()
}

/// The field that serde names in its message rather than by its path: one that is missing, or given twice.
fn named_by(detail: &str) -> Option<&str> {
    let rest = detail.strip_prefix("missing field `").or_else(|| detail.strip_prefix("duplicate field `"))?;
    rest.split('`').next()
}
