//! Shows a problem as an HTML page if a browser sent the request. If a publish form is refused, the page
//! shows the form again with the errors.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn_with_state};

use super::frame::{self, Frame, Section, html};
use crate::errors;
use crate::prelude::*;
use crate::rest::add_vary;

#[derive(Template)]
#[template(path = "problem.html")]
struct Page<'a> {
    frame: Frame<'a>,
    problem: &'a Problem,
    status: u16,
    title: String,
}

impl Page<'_> {
    /// In parts; text between backticks is code.
    fn detail(&self) -> impl Iterator<Item = (bool, &str)> {
        self.problem.detail.split('`').enumerate().map(|(at, part)| (at % 2 == 1, part))
    }
}

pub fn with_problem_pages(router: Router, app: App) -> Router {
    router.layer(from_fn_with_state(app, for_browsers))
}

async fn for_browsers(State(app): State<App>, request: Request, next: Next) -> Response {
    let is_browser = request.method() != Method::HEAD && accepts_html(request.headers());
    let mut response = next.run(request).await;
    let Some(problem) = response.extensions_mut().remove::<Problem>() else { return response };
    add_vary(response.headers_mut(), "accept");
    let is_document =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/problem+json");
    if is_browser && is_document { page(&app.settings, &problem, response) } else { response }
}

/// Whether a caller asks for a page, as browsers do.
pub(crate) fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.into_iter().any(|accepted| accepted.to_ascii_lowercase().contains("text/html"))
}

fn page(settings: &Settings, problem: &Problem, response: Response) -> Response {
    let reason = errors::title(problem.kind);
    let title = reason[..1].to_owned() + &reason[1..].to_lowercase();
    let frame = Frame::of(settings, Section::None, "/", &title, problem.detail.clone()).not_indexed();
    in_page(&Page { frame, problem, status: errors::status(problem.kind).as_u16(), title }, response)
}

/// A problem as a page, for a browser that sent a form.
pub(crate) fn problem_page(settings: &Settings, problem: &Problem) -> Response {
    page(settings, problem, Refused(problem.clone()).into_response())
}

/// Replaces the body of `response` by a page, and keeps status and headers.
pub(super) fn in_page(page: &impl Template, response: Response) -> Response {
    let Ok(body) = html(page) else { return response };
    let (mut parts, _) = response.into_parts();
    for replaced in [header::CONTENT_LENGTH, header::CONTENT_ENCODING] {
        parts.headers.remove(replaced);
    }
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(frame::MEDIA_TYPE));
    for (name, value) in frame::HEADERS {
        parts.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    parts.extensions.remove::<Problem>();
    Response::from_parts(parts, Body::from(body))
}

/// Characters of the URL that is shown again.
pub(super) const MAX_URL_CHARS: usize = 2048;

#[derive(Clone, Debug, Default)]
pub(super) struct PublishForm {
    pub(super) url: String,
    refusal: Option<Problem>,
}

impl PublishForm {
    pub(super) fn of(url: &str) -> Self {
        Self { url: shorten(url, MAX_URL_CHARS), refusal: None }
    }

    /// The form has one field, so the detail need not name it.
    pub(super) fn refused(&self) -> Option<&str> {
        let detail = self.refusal.as_ref()?.detail.as_str();
        Some(detail.strip_prefix("`url`: ").unwrap_or(detail))
    }
}

#[derive(Template)]
#[template(path = "refused.html")]
struct RefusedPage<'a> {
    frame: Frame<'a>,
    form: PublishForm,
}

pub(crate) fn refused_form(settings: &Settings, url: &str, problem: Problem) -> Response {
    let response = Refused(problem.clone()).into_response();
    let frame = Frame::of(settings, Section::ForAgents, "/for-agents", "Not listed yet", "What to fix.");
    let form = PublishForm { refusal: Some(problem), ..PublishForm::of(url) };
    in_page(&RefusedPage { frame: frame.not_indexed(), form }, response)
}
