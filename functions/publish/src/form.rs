//! The HTML forms for publishing and for reports, as a browser without JavaScript sends them. If a form is valid, the
//! answer redirects to the page of the listing. Otherwise the answer is a page that explains what to correct.

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use http::{HeaderMap, Method, StatusCode, header};
use registry::app::App;
use registry::error::Problem;
use registry::model::Caller;
use registry::operations::{LIST_YOURSELF, REPORT_LISTING, RawArguments};
use registry::pages::{problem_page, refused_form};
use serde_json::{Map, Value};

const MAX_FORM_BYTES: usize = 64 * 1024;

/// Handles forms and passes all other requests on.
pub(crate) async fn accept_forms(
    State(app): State<App>,
    caller: Caller,
    request: Request,
    next: Next,
) -> Response {
    if request.method() != Method::POST || !is_form(request.headers()) {
        return next.run(request).await;
    }
    let is_report = REPORT_LISTING.routes.iter().any(|route| route.path == request.uri().path());
    let fields = match to_bytes(request.into_body(), MAX_FORM_BYTES).await {
        Ok(body) => fields(&body),
        Err(_) => {
            let detail = format!("The form exceeds {MAX_FORM_BYTES} bytes. Send less text.");
            let problem = Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail);
            return refused_form(&app.settings, "", problem);
        }
    };
    if is_report {
        return report(app, caller, fields).await;
    }
    let url = fields.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
    let published = LIST_YOURSELF.run(app.clone(), caller, RawArguments::Json(fields.into())).await;
    match published {
        Ok(answer) => {
            let id = answer["listing_id"].as_str().unwrap_or_default();
            Redirect::to(&format!("/list/{id}")).into_response()
        }
        Err(problem) => refused_form(&app.settings, &url, problem),
    }
}

async fn report(app: App, caller: Caller, fields: Map<String, Value>) -> Response {
    match REPORT_LISTING.run(app.clone(), caller, RawArguments::Json(fields.into())).await {
        Ok(answer) => {
            let id = answer["listing_id"].as_str().unwrap_or_default();
            Redirect::to(&format!("/list/{id}#reported")).into_response()
        }
        Err(problem) => problem_page(&app.settings, &problem),
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    let media_type =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// The fields of a form; an empty one counts as absent.
fn fields(body: &[u8]) -> Map<String, Value> {
    let fields =
        form_urlencoded::parse(body).map(|(name, value)| (name.into_owned(), value.trim().to_owned()));
    fields.filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name, value.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_form_field_counts_as_absent() {
        let read = fields(b"url=+https%3A%2F%2Fa.example.org%2Fcard.json&name=&source=a+friend");
        assert_eq!(
            Value::from(read),
            serde_json::json!({ "url": "https://a.example.org/card.json", "source": "a friend" })
        );
    }
}
