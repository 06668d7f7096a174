//! `/check/{id}/report.json`: the report of a score for machines. Its bytes are exactly those that its id was made from.

use bytes::Bytes;

use super::document::{Document, DocumentRequest, NoQuery};
use registry_app::App;
use registry_domain::score_report;
use registry_model::ScoreReport;
use registry_model::error::Problem;

/// A report never changes. After an hour, caches ask again, because it expires.
const HOUR_S: u32 = 3600;

/// The id in `/check/{id}` and below it.
pub(crate) fn id_in(path: &str) -> &str {
    let rest = path.strip_prefix("/check/").unwrap_or_default();
    rest.split('/').next().unwrap_or_default()
}

/// The path parameter is the id of the report.
#[derive(Debug)]
pub(super) struct ReportDocument;

impl Document for ReportDocument {
    const PATHS: &'static [&'static str] = &["/check/{id}/report.json"];
    const SUMMARY: &'static str = "The report of a score: each request of the probe with its answer, the rule that it \
        follows, the points, and what to fix. Stored for 30 days.";
    const MAX_AGE_S: Option<u32> = Some(HOUR_S);
    const REFUSALS: &'static [u16] = &[404];
    type Query = NoQuery;
    type Answer = ScoreReport;

    async fn render(app: &App, request: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        Ok(score_report::text(app, id_in(&request.path)).await?.into())
    }
}
