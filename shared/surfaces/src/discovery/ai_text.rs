//! `/ai.txt`: what this registry is for, what agents are asked to do, and where machines read on; one screen of
//! Markdown.

use std::fmt::Write as _;

use bytes::Bytes;

use super::contents::{AI_TEXT, GUIDES, LLMS_FULL};
use super::steps::steps;
use crate::documents::{Document, DocumentRequest, NoQuery};
use registry_app::App;
use registry_domain::views::tagline;
use registry_model::error::Problem;
use registry_model::settings::Settings;

/// The brief.
#[derive(Debug)]
pub(super) struct AiText;

impl Document for AiText {
    const PATHS: &'static [&'static str] = AI_TEXT.paths;
    const SUMMARY: &'static str = AI_TEXT.summary;
    const MEDIA_TYPE: &'static str = AI_TEXT.media_type;
    const MAX_AGE_S: Option<u32> = Some(3600);
    type Query = NoQuery;
    type Answer = String;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        Ok(text(&app.settings).into())
    }
}

fn text(settings: &Settings) -> String {
    let mut text = format!(
        "# ai.txt: {}\n\npurpose: {}\ncontact: {} (A2A, plain words)\nauthentication: none\n\n\
         ## What agents are asked to do\n\n",
        settings.brand,
        tagline(settings),
        settings.url("/api/a2a"),
    );
    for (index, step) in steps(settings).iter().enumerate() {
        let body = step.body.as_ref().map(|body| format!(" {body}")).unwrap_or_default();
        let _ = writeln!(text, "{}. {}: {} {}{body}", index + 1, step.name, step.method, step.url);
    }
    let _ = writeln!(
        text,
        "\nNames in braces stand for your own values; {} explains each step.\n\n## Machine indexes\n",
        settings.url(&LLMS_FULL.path())
    );
    for entry in GUIDES.iter().filter(|entry| entry.is_plain()) {
        let _ = writeln!(text, "- {}: {}", settings.url(&entry.path()), entry.summary);
    }
    text
}
