//! Reports about listings, for the operator. All of them share a partition, by time.

use std::collections::BTreeMap;

use super::rates::Allowance;
use crate::table::prelude::*;
use registry_model::Report;

/// Seconds for which a report is stored.
const RETENTION: i64 = 180 * 86_400;

const REPORTS_PER_PAGE: usize = 200;

/// Parts of the partition, of at most 1 MB each, that one call reads.
const PARTS_PER_CALL: u32 = 5;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportsPage {
    pub reports: Vec<Report>,
    /// The number of reports about each listing, of those that this call read.
    pub counts: BTreeMap<ListingId, u32>,
    /// The sort key before which the next page begins; `None` at the end.
    pub next: Option<String>,
}

impl Store {
    pub async fn keep_report(&self, report: &Report, allowance: Option<Allowance<'_>>) -> Result<()> {
        self.count_allowed(allowance, report.at).await?;
        let key = keys::by_time(keys::REPORTS, report.at, &report.id);
        self.put(key.with([("report", to_blob(report)?), ttl(report.at, RETENTION)])).await
    }

    /// The reports before `before`, the sort key of a report, the newest first: those about one listing, or all.
    pub async fn reports(
        &self,
        about: Option<&ListingId>,
        mut before: Option<String>,
    ) -> Result<ReportsPage> {
        let mut found = ReportsPage::default();
        for _ in 0..PARTS_PER_CALL {
            let range = before.map_or(Range::All, Range::Before);
            let part = self.query(Query::of(keys::REPORTS).range(range).descending().strong()).await?;
            before = part.next_after("sk");
            for report in blobs::<Report>(&part.items, "report")? {
                *found.counts.entry(report.listing_id.clone()).or_default() += 1;
                if about.is_none_or(|about| *about == report.listing_id) {
                    found.reports.push(report);
                }
            }
            if before.is_none() {
                break;
            }
        }
        found.next = before;
        if found.reports.len() > REPORTS_PER_PAGE {
            found.reports.truncate(REPORTS_PER_PAGE);
            found.next = found.reports.last().map(|last| keys::by_time(keys::REPORTS, last.at, &last.id).sk);
        }
        Ok(found)
    }
}
