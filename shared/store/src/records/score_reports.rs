//! The reports of scores. All about a URL share a partition, by time, so that the latest is found without an index.

use crate::prelude::*;
use registry_model::ScoreReportId;

/// The sort key begins with the time of the report.
pub(super) const SCORE_REPORT: KeyPattern = KeyPattern::new("SCORED#", "");

/// Seconds for which a report is stored.
pub const SCORE_REPORT_RETENTION: i64 = 30 * 86_400;

impl Store {
    pub async fn keep_score_report(&self, id: &ScoreReportId, report: &str, at: Moment) -> Result<()> {
        self.put(score_report_key(id).with([("report", s(report)), ttl(at, SCORE_REPORT_RETENTION)])).await
    }

    /// The text of a report that has not expired.
    pub async fn score_report(&self, id: &ScoreReportId, now: Moment) -> Result<Option<String>> {
        Ok(self.read(&score_report_key(id)).await?.and_then(|item| unexpired_report(&item, now)))
    }

    /// The id and the text of the latest report about a URL.
    pub async fn latest_score_report(
        &self,
        url: &str,
        now: Moment,
    ) -> Result<Option<(ScoreReportId, String)>> {
        let about = ScoreReportId::of_url(url);
        let query = SCORE_REPORT.query_of(&about).descending().limit(1).strong();
        let Some(item) = self.query(query).await?.items.into_iter().next() else { return Ok(None) };
        let id = format!("{about}{}", text(&item, "sk")).parse().ok();
        Ok(id.zip(unexpired_report(&item, now)))
    }
}

fn score_report_key(id: &ScoreReportId) -> Key {
    let (url, rest) = id.parts();
    SCORE_REPORT.one_of(url, rest)
}

/// The table removes an expired item only after some time.
fn unexpired_report(item: &Item, now: Moment) -> Option<String> {
    (number(item, "ttl") > now.as_second()).then(|| text(item, "report").to_owned())
}
