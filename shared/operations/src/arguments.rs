//! Arguments of an operation from a query string or a JSON value. An argument that cannot be read is reported by its
//! field's name and what it may be.

use http::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

use registry_model::error::{Problem, shorten};

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
    serde_path_to_error::deserialize(whole(value)).map_err(|error| unreadable(&error))
}

/// The value with whole numbers written as such: JSON Schema takes `3.0` for an integer, and clients whose data is a
/// protobuf `Value` can send no other.
fn whole(value: Value) -> Value {
    match value {
        Value::Number(number) => whole_number(&number).map_or(Value::Number(number), Value::from),
        Value::Array(values) => values.into_iter().map(whole).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, whole(value))).collect(),
        other => other,
    }
}

/// The integer that a floating-point number is, where it is one that both can hold exactly.
fn whole_number(number: &Number) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float =
        number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() <= EXACT)?;
    format!("{float:.0}").parse().ok()
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_are_taken_as_protobuf_writes_them() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Rated {
            rating: u8,
            weights: Vec<f64>,
        }
        let read = |value| RawArguments::Json(value).read::<Rated>();
        let rated = read(json!({ "rating": 3.0, "weights": [0.5, 2.0] })).unwrap();
        assert_eq!(rated, Rated { rating: 3, weights: vec![0.5, 2.0] });
        for rating in [json!(3.5), json!(-1.0), json!(300.0), json!(1e300), json!("3")] {
            let problem = read(json!({ "rating": rating, "weights": [] })).unwrap_err();
            assert_eq!(problem.field.as_deref(), Some("rating"), "{rating}");
        }
    }
}
