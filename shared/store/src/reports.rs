//! Reports about listings, for the operator. All of them share a partition, by time.

use super::attributes::{blobs, to_blob, ttl};
use super::client::Store;
use super::error::StoreError;
use super::keys;
use super::rates::{Allowance, UsedUp};
use super::reads::Query;
use registry_model::Report;

/// Seconds for which a report is stored.
const RETENTION: i64 = 180 * 86_400;

impl Store {
    /// Stores a report; the exceeded limit where it may not be stored.
    pub async fn keep_report(
        &self,
        report: &Report,
        allowance: Option<Allowance<'_>>,
    ) -> Result<Option<UsedUp>, StoreError> {
        if let Some(used_up) = self.used_up(allowance, report.at).await? {
            return Ok(Some(used_up));
        }
        let key = keys::report(report.at, &report.id);
        self.put(key.with([("report", to_blob(report)?), ttl(report.at, RETENTION)])).await?;
        Ok(None)
    }

    /// The latest reports, the newest first.
    pub async fn reports(&self, limit: u32) -> Result<Vec<Report>, StoreError> {
        blobs(&self.query(Query::of(keys::REPORTS).descending().limit(limit)).await?.items, "report")
    }
}
