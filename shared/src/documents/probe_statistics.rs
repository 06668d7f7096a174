//! `/api/probes`: the statistics of the probing, as the discovery map has them too.

use bytes::Bytes;
use serde::Serialize;

use super::document::{Document, DocumentRequest, NoQuery, json};
use crate::app::App;
use crate::error::Problem;
use crate::probe::stats::{self, Statistics};

/// The probe statistics.
#[derive(Debug)]
pub(super) struct ProbeStatistics;

#[derive(Serialize)]
struct Answer {
    ok: bool,
    #[serde(flatten)]
    statistics: Statistics,
}

impl Document for ProbeStatistics {
    const PATHS: &'static [&'static str] = &["/api/probes"];
    type Query = NoQuery;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        json(&Answer { ok: true, statistics: stats::read(app).await? })
    }
}
