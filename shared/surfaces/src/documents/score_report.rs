//! `/check/{id}/report.json`: the report of a score for machines. Its bytes are exactly those that its id was made from.

use super::document::AnyDocument;
use registry_features::review::score_report;
use registry_model::ScoreReport;
use registry_model::error::ErrorKind;

/// The id in `/check/{id}` and below it.
pub(crate) fn id_in(path: &str) -> &str {
    let rest = path.strip_prefix("/check/").unwrap_or_default();
    rest.split('/').next().unwrap_or_default()
}

/// The path parameter is the id of the report.
pub static SCORE_REPORT: AnyDocument = AnyDocument {
    paths: &["/check/{id}/report.json"],
    summary: "The report of a score: each request of the probe with its answer, the rule that it follows, the points, \
        and what to fix. Stored for 30 days.",
    // A report never changes. After an hour, caches ask again, because it expires.
    max_age_s: Some(3600),
    refusals: &[ErrorKind::NotFound],
    ..AnyDocument::of::<ScoreReport>(|app, request| {
        Box::pin(async { Ok(score_report::text(app, id_in(&request.path)).await?.into()) })
    })
};
