//! Reading arguments at the door, from the query or a JSON body, into the types that operations take.
//! What cannot be read is answered with the field's name and what it may be.

use axum::extract::{FromRequest, FromRequestParts, Request};
use bytes::Bytes;
use http::request::Parts;
use http::{StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Problem, shorten};

/// The largest body that is read (design §5 Errors), in bytes.
const LARGEST_BODY: usize = 256 * 1024;

/// Arguments from the query string.
#[derive(Clone, Copy, Debug)]
pub struct Query<T>(pub T);

/// Arguments from a JSON body.
#[derive(Clone, Copy, Debug)]
pub struct Body<T>(pub T);

/// A body as it came, within the size limit, said to be JSON.
#[derive(Clone, Debug)]
pub struct RawBody(pub Bytes);

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let query = parts.uri.query().unwrap_or_default();
        let pairs = serde_urlencoded::Deserializer::new(form(query));
        serde_path_to_error::deserialize(pairs).map(Self).map_err(|error| unreadable(&error))
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let body = RawBody::from_request(request, state).await?;
        arguments(body.json()?).map(Self)
    }
}

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Self::Rejection> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        if !kind.is_some_and(is_json) {
            let detail = format!(
                "The body must be JSON, sent with content-type: application/json; this one says {}.",
                kind.map_or("nothing".to_owned(), |kind| format!("`{}`", shorten(kind, 60)))
            );
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", detail));
        }
        match Limited::new(request.into_body(), LARGEST_BODY).collect().await {
            Ok(body) => Ok(Self(body.to_bytes())),
            Err(error) if error.is::<LengthLimitError>() => Err(Problem::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_large",
                format!("The body is over {LARGEST_BODY} bytes. Send the card's URL instead of the card."),
            )),
            Err(_) => Err(Problem::malformed("The body broke off before its end.")),
        }
    }
}

impl RawBody {
    /// The body as a JSON document.
    ///
    /// # Errors
    /// 400 with the place of the fault.
    pub fn json(&self) -> Result<Value, Problem> {
        serde_json::from_slice(&self.0).map_err(|error| {
            Problem::malformed(format!("The body is no JSON document: {error}. Send a JSON object."))
        })
    }
}

/// Reads an operation's arguments out of a JSON value.
///
/// # Errors
/// 400 where it is no object, 422 with the field that cannot be taken.
pub fn arguments<T: DeserializeOwned>(value: Value) -> Result<T, Problem> {
    if !value.is_object() {
        return Err(Problem::malformed("The arguments must be a JSON object."));
    }
    serde_path_to_error::deserialize(value).map_err(|error| unreadable(&error))
}

fn form(query: &str) -> form_urlencoded::Parse<'_> {
    form_urlencoded::parse(query.as_bytes())
}

fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
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

/// The field that serde names in its message rather than by its path: one that is missing, or stands twice.
fn named_by(detail: &str) -> Option<&str> {
    let rest = detail.strip_prefix("missing field `").or_else(|| detail.strip_prefix("duplicate field `"))?;
    rest.split('`').next()
}
