//! Rows of tables: listings on the board and the home page, and checks and parts of a score on the page of a listing and in
//! the report of a score.

use super::chart::{self, Drawing};
use super::when::When;
use crate::prelude::*;
use registry_features::listing::NameStanding;
use registry_model::{Access, Check, Handshake, ScorePart};

const MAX_NAME_CHARS: usize = 80;
const MAX_DESCRIPTION_CHARS: usize = 140;

#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) kind: &'static str,
    pub(super) category: &'static str,
    pub(super) handshake: &'static str,
    pub(super) fails: bool,
    pub(super) era: Option<String>,
    pub(super) latency_ms: Option<u32>,
    pub(super) proven: Option<When>,
    /// It asks for a sign-in.
    pub(super) gated: bool,
    pub(super) standing: Option<NameStanding>,
    /// The proven domain.
    pub(super) domain: Option<String>,
    /// Why it matches a search.
    pub(super) reasons: Option<String>,
}

pub(super) const fn kind_label(kind: Kind) -> &'static str {
    match kind {
        Kind::Agent => "Agent",
        Kind::Mcp => "MCP server",
    }
}

impl Row {
    pub(super) fn of(listing: &Listing, now: Moment) -> Self {
        let probe = listing.proof.probe.as_ref();
        Self {
            path: format!("/list/{}", listing.id),
            name: shorten(&title(listing), MAX_NAME_CHARS),
            description: listing
                .texts
                .description
                .as_deref()
                .map(|text| shorten(text, MAX_DESCRIPTION_CHARS)),
            kind: kind_label(listing.likely_kind()),
            category: listing.texts.category.label(),
            handshake: probe.map_or(Handshake::Skip, |probe| probe.handshake).as_str(),
            fails: listing.schedule.failing_since.is_some() && listing.lane.is_proven(),
            era: listing.proof.era.as_deref().map(|era| shorten(era, 20)),
            latency_ms: probe.and_then(|probe| probe.latency_ms),
            proven: listing.proven_at().map(|at| When::of(at, now)),
            gated: listing.access() == Access::Gated,
            standing: NameStanding::of(listing),
            domain: listing.valid_domain().map(|domain| shorten(domain.as_str(), MAX_NAME_CHARS)),
            reasons: None,
        }
    }
}

/// A check, and how to pass it if it failed.
pub(super) type CheckRow = (Check, Option<String>);

pub(super) fn check_row(check: &Check, fix: Option<String>) -> CheckRow {
    (check.clone(), fix.filter(|_| !check.ok))
}

pub(super) type PartRow = (ScorePart, Drawing);

pub(super) fn part_row(part: &ScorePart) -> PartRow {
    (part.clone(), chart::proportion("good", part.points.into(), part.of.into()))
}

/// The name, or the host while nobody has named it.
pub(super) fn title(listing: &Listing) -> String {
    let host = listing.hosts().into_iter().next().filter(|_| listing.texts.name == listing.id.as_str());
    host.map_or_else(|| listing.texts.name.clone(), |host| host.to_string())
}
