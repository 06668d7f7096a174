//! The form of a page, as a browser without a script sends it. What it says is published as any body is; the answer leads
//! to the page of the listing, or is a page that says what to mend.

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use http::{HeaderMap, Method, StatusCode, header};
use registry::app::App;
use registry::error::Problem;
use registry::model::Caller;
use registry::operations::{LIST_YOURSELF, RawArguments};
use registry::pages::refused_form;
use serde_json::{Map, Value};

/// The largest form that is read, in bytes.
const LARGEST: usize = 64 * 1024;

/// Takes forms, and hands on whatever else is sent.
pub(crate) async fn take_forms(
    State(app): State<App>,
    caller: Caller,
    request: Request,
    next: Next,
) -> Response {
    if request.method() != Method::POST || !is_form(request.headers()) {
        return next.run(request).await;
    }
    let fields = match to_bytes(request.into_body(), LARGEST).await {
        Ok(body) => fields(&body),
        Err(_) => {
            let detail =
                format!("A form may have {LARGEST} bytes. Send the URL of what is to be listed, no more.");
            let problem = Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail);
            return refused_form(&app.settings, "", problem);
        }
    };
    let url = fields.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
    let published = (LIST_YOURSELF.run)(app.clone(), caller, RawArguments::Json(fields.into())).await;
    match published {
        Ok(answer) => {
            let id = answer["listing_id"].as_str().unwrap_or_default();
            Redirect::to(&format!("/list/{id}")).into_response()
        }
        Err(problem) => refused_form(&app.settings, &url, problem),
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// What a form says; a field that was left empty says nothing.
fn fields(body: &[u8]) -> Map<String, Value> {
    let fields =
        form_urlencoded::parse(body).map(|(name, value)| (name.into_owned(), value.trim().to_owned()));
    fields.filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name, value.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_was_left_empty_says_nothing() {
        let read = fields(b"url=+https%3A%2F%2Fa.example.org%2Fcard.json&name=&source=a+friend");
        assert_eq!(
            Value::from(read),
            serde_json::json!({ "url": "https://a.example.org/card.json", "source": "a friend" })
        );
    }
}
