//! `/network`: what the probes of today found. It shows the outcomes and reasons of `/api/probes`.

use super::chart::{self, Drawing};
use super::frame::{self, Frame, Section, html};
use crate::documents::probe_statistics::{self, FailReason, Statistics};
use crate::documents::reused_for;
use crate::prelude::*;
use registry_probe::explain;

const MAX_REASONS: usize = 10;
/// Seconds for which a rendered page is reused: it costs ten reads.
const REUSED_FOR_S: u32 = 30;

#[derive(Template)]
#[template(path = "network.html")]
struct Page<'a> {
    frame: Frame<'a>,
    statistics: &'a Statistics,
    /// Label, class of the style sheet and count.
    outcomes: [(&'static str, &'static str, u32); 4],
    outcome_bar: Drawing,
    has_dump: bool,
}

impl Page<'_> {
    /// The most frequent reasons, each with its bar.
    fn reasons(&self) -> impl Iterator<Item = (&FailReason, Drawing)> {
        let counted = &self.statistics.outcomes.fail_reasons;
        let most = counted.iter().map(|reason| reason.count).max().unwrap_or_default();
        counted
            .iter()
            .take(MAX_REASONS)
            .map(move |reason| (reason, chart::proportion("failed", reason.count, most)))
    }
}

pub(super) static NETWORK: AnyDocument = AnyDocument {
    paths: &["/network"],
    summary: "The outcomes of today's probes and their reasons, for people.",
    max_age_s: Some(60),
    validator: |app, _| reused_for(app, REUSED_FOR_S, "network"),
    ..frame::page(|app, _| {
        Box::pin(async { html(&page(app, &probe_statistics::read_statistics(app).await?)) })
    })
};

fn page<'a>(app: &'a App, statistics: &'a Statistics) -> Page<'a> {
    let description = "What the probes of today found at agents and MCP servers.";
    let shakes = &statistics.outcomes.handshake;
    let outcomes = [
        ("ok", "good", shakes.ok),
        ("partial", "partial", shakes.partial),
        ("failed", "failed", shakes.fail),
        ("skipped", "skipped", shakes.skip),
    ];
    Page {
        frame: Frame::of(&app.settings, Section::Status, "/network", "Network", description),
        outcome_bar: chart::stacked(&outcomes.map(|(_, class, count)| (class, count))),
        outcomes,
        statistics,
        has_dump: app.settings.dump_license.is_some(),
    }
}
