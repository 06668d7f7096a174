//! The form by which somebody lists a server, wherever it stands; and the page that a browser without a script gets
//! where what it sent cannot be listed.

use askama::Template;
use axum::response::{IntoResponse as _, Response};

use super::frame::{Frame, Section};
use super::problem_page::in_page;
use registry_model::error::{Problem, shorten};
use registry_model::settings::Settings;

/// Characters of the URL that is shown again.
const LONGEST: usize = 2048;

#[derive(Clone, Debug, Default)]
pub(super) struct PublishForm {
    pub(super) url: String,
    refusal: Option<Problem>,
}

impl PublishForm {
    pub(super) fn of(url: &str) -> Self {
        Self { url: shorten(url, LONGEST), refusal: None }
    }

    /// The form has one field, so the detail need not name it.
    pub(super) fn refused(&self) -> Option<&str> {
        let detail = self.refusal.as_ref()?.detail.as_str();
        Some(detail.strip_prefix("`url`: ").unwrap_or(detail))
    }
}

#[derive(Template)]
#[template(path = "refused.html")]
struct Refused<'a> {
    frame: Frame<'a>,
    form: PublishForm,
}

#[must_use]
pub fn refused_form(settings: &Settings, url: &str, problem: Problem) -> Response {
    let response = problem.clone().into_response();
    let frame =
        Frame::of(settings, Section::ForAgents, "/for-agents", "Not listed yet", "What has to be mended.");
    let form = PublishForm { refusal: Some(problem), ..PublishForm::of(url) };
    in_page(&Refused { frame: frame.not_indexed(), form }, response)
}
