//! The HTML forms for publishing, for checks and for reports, as a browser without JavaScript sends them. If a form is valid, the
//! answer redirects to the page of the listing. Otherwise the answer is a page that explains what to correct.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Redirect;

use super::request::{CalledBy, content_type, essence};
use crate::pages::{accepts_html, problem_page, refused_check, refused_form};
use crate::prelude::*;
use registry_features::RawArguments;
use registry_features::publish::operations::LIST_YOURSELF;
use registry_features::review::operations::{REPORT_LISTING, SCORE};

const MAX_FORM_BYTES: usize = 64 * 1024;

/// Adds the forms to the routes of the operations that they send.
pub fn with_forms(routes: Router<App>, app: &App) -> Router<App> {
    routes.route_layer(from_fn_with_state(app.clone(), accept_forms))
}

/// Handles forms and passes all other requests on.
async fn accept_forms(
    State(app): State<App>,
    CalledBy(caller): CalledBy,
    request: Request,
    next: Next,
) -> Response {
    if request.method() != Method::POST || !is_form(request.headers()) {
        return next.run(request).await;
    }
    let path = request.uri().path();
    let is_report = REPORT_LISTING.routes.iter().any(|route| route.path == path);
    let wants_page = accepts_html(request.headers());
    let (mut parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_FORM_BYTES).await else {
        let detail = format!("The form exceeds {MAX_FORM_BYTES} bytes. Send less text.");
        let problem = Problem::new(ErrorKind::TooLarge, Code::TooLarge, detail);
        return match wants_page {
            true => refused_form(&app.settings, "", problem),
            false => Refused(problem).into_response(),
        };
    };
    // curl sends JSON as a form if its caller names no media type.
    if body.trim_ascii_start().starts_with(b"{") {
        parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        return next.run(Request::from_parts(parts, Body::from(body))).await;
    }
    let mut fields = fields(&body);
    // The form of a check; /api/score is read with GET only.
    let is_check = !is_report && fields.remove("check").is_some();
    let url = fields.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
    let operation = if is_report {
        &REPORT_LISTING
    } else if is_check {
        &SCORE
    } else {
        &LIST_YOURSELF
    };
    let answered = operation.run(app.clone(), caller, RawArguments::Json(fields.into())).await;
    match answered {
        Ok(answer) => Redirect::to(&page_of(&answer, is_report)).into_response(),
        Err(problem) if !wants_page => Refused(problem).into_response(),
        Err(problem) if is_report => problem_page(&app.settings, &problem),
        Err(problem) if is_check => refused_check(&app.settings, &url, &problem),
        Err(problem) => refused_form(&app.settings, &url, problem),
    }
}

/// The page of a listing, or that of the report of a check.
fn page_of(answer: &Value, is_report: bool) -> String {
    if let Some(id) = answer["report_url"].as_str().and_then(|url| url.rsplit('/').next()) {
        return format!("/check/{id}");
    }
    let id = answer["listing_id"].as_str().unwrap_or_default();
    format!("/list/{id}{}", if is_report { "#reported" } else { "" })
}

fn is_form(headers: &HeaderMap) -> bool {
    essence(content_type(headers).unwrap_or_default())
        .eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// The fields of a form; an empty one counts as absent.
fn fields(body: &[u8]) -> Map<String, Value> {
    let form = Parameters::parse(body);
    let fields = form.iter().map(|(name, value)| (name.to_owned(), value.trim()));
    fields.filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name, value.into())).collect()
}
