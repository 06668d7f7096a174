//! `/robots.txt` (RFC 9309): everything may be read; what is read may be searched and quoted, and not trained on
//! (contentsignals.org). Names of listings are the words of others, who were not asked for more.

use std::fmt::Write as _;

use bytes::Bytes;

use super::contents::ROBOTS;
use crate::documents::{self, Document, DocumentRequest, NoQuery};
use crate::pages;
use registry_app::App;
use registry_model::error::Problem;
use registry_model::settings::Settings;

/// The rules for crawlers.
#[derive(Debug)]
pub(super) struct Robots;

impl Document for Robots {
    const PATHS: &'static [&'static str] = ROBOTS.paths;
    const SUMMARY: &'static str = ROBOTS.summary;
    const MEDIA_TYPE: &'static str = ROBOTS.media_type;
    const MAX_AGE_S: Option<u32> = Some(3600);
    type Query = NoQuery;
    type Answer = String;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        Ok(text(&app.settings).into())
    }
}

fn text(settings: &Settings) -> String {
    let mut text =
        "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\nAllow: /\n\n".to_owned();
    let catalogues = documents::AI_CATALOG.paths.iter().chain(documents::LINKED_CATALOG.paths);
    for path in catalogues {
        let _ = writeln!(text, "Agentmap: {}", settings.url(path));
    }
    for path in pages::SITEMAP.paths {
        let _ = writeln!(text, "\nSitemap: {}", settings.url(path));
    }
    text
}
