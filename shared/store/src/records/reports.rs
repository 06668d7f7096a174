//! Reports about listings, for the operator. All of them share a partition, by time.

use std::collections::BTreeMap;

use crate::prelude::*;
use registry_model::Report;

/// Days for which a report is stored. Texts that state the time take it from here.
pub const REPORT_DAYS: i64 = 180;

pub(super) const REPORT: Record<Report> =
    Record::new("REPORTS", "", "report").stored_for(REPORT_DAYS * 86_400);

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
    pub async fn keep_report(&self, report: &Report, act: Act<'_>) -> Result<()> {
        self.count_allowed(act, report.at).await?;
        self.put(REPORT.expiring_item(&REPORT.at(report.at, &report.id), report, report.at)?).await
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
            let part = self.query(REPORT.query().range(range).descending().strong()).await?;
            before = part.next_after("sk");
            for report in REPORT.read_all(&part.items)? {
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
            found.next = found.reports.last().map(|last| key::at(last.at, &last.id));
        }
        Ok(found)
    }
}
