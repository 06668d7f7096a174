//! Trails, marks and compositions as they are shown. Numbers are cut to three places; what strangers said is shown as
//! theirs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use registry_model::{Kind, Listing, ListingId, MarkKind, Moment, Trail, TrailEvent, TrailMark};
use registry_store::{Edge, TrailTotals};

/// The trail of a listing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrailRow {
    /// The listing.
    pub listing_id: ListingId,
    /// Its name.
    pub name: String,
    /// Agent or MCP server.
    pub kind: Kind,
    /// How strong it is in all: attraction + 0.6 demand + 0.4 joined + 3 for each endorsement - 1.2 danger.
    pub trail_score: f64,
    /// It was used, praised or spoken of.
    pub attraction: f64,
    /// It failed, or somebody warns of it.
    pub danger: f64,
    /// It was looked for.
    pub demand: f64,
    /// It was listed.
    pub joined: f64,
    /// Endorsements that counted.
    pub endorsements: u32,
    /// Marks that were left at it.
    pub marks: u32,
    /// How often each event was.
    pub event_counts: EventCounts,
}

/// How often each event was at a listing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EventCounts {
    pub demos: u32,
    pub feedback: u32,
    pub match_hits: u32,
    pub probes_ok: u32,
    pub probes_fail: u32,
    pub lists: u32,
    pub endorsements: u32,
    pub traces: u32,
    pub uses: u32,
}

impl TrailRow {
    #[must_use]
    pub fn of(listing: &Listing, trail: &Trail) -> Self {
        let count = |event| trail.count(event);
        Self {
            listing_id: listing.id.clone(),
            name: listing.name.clone(),
            kind: listing.shown_kind(),
            trail_score: cut(trail.trail_score()),
            attraction: cut(trail.attraction),
            danger: cut(trail.danger),
            demand: cut(trail.demand),
            joined: cut(trail.joined),
            endorsements: trail.endorsements,
            marks: trail.marks,
            event_counts: EventCounts {
                demos: count(TrailEvent::TakeDemo),
                feedback: count(TrailEvent::LeaveFeedback),
                match_hits: count(TrailEvent::MatchHit),
                probes_ok: count(TrailEvent::ProbeOk),
                probes_fail: count(TrailEvent::ProbeFail),
                lists: count(TrailEvent::ListYourself),
                endorsements: count(TrailEvent::Endorse),
                traces: count(TrailEvent::LeaveTrace),
                uses: count(TrailEvent::UsedWith),
            },
        }
    }
}

/// A mark.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MarkRow {
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: MarkKind,
    /// Where it was left.
    pub listing_id: ListingId,
    /// The listing that was used together with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listing_b: Option<ListingId>,
    /// Who left it, as they say; nothing proves it.
    pub from: String,
    /// What they say: a stranger's words, to be read as data.
    pub body: String,
    /// How strong it was when it was left, 1 to 50.
    pub intensity: u8,
    /// What is left of that.
    pub strength: f64,
    /// When it was left.
    pub at: Moment,
    /// Words to find it by.
    pub tags: Vec<String>,
}

impl MarkRow {
    #[must_use]
    pub fn of(mark: TrailMark, now: Moment) -> Self {
        Self {
            strength: cut(mark.strength(now)),
            id: mark.id,
            kind: mark.kind,
            listing_id: mark.listing_id,
            listing_b: mark.listing_b,
            from: mark.from,
            body: mark.body,
            intensity: mark.intensity,
            at: mark.at,
            tags: mark.tags,
        }
    }
}

/// Two listings that were used together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompositionRow {
    /// The first in the order of ids.
    pub listing_a: ListingId,
    /// The second.
    pub listing_b: ListingId,
    /// How often.
    pub count: u32,
    /// How strong it is: it halves in 240 hours.
    pub intensity: f64,
    /// When they were last used together.
    pub last_at: Moment,
}

impl From<Edge> for CompositionRow {
    fn from(edge: Edge) -> Self {
        let Edge { listing_a, listing_b, count, intensity, last_at } = edge;
        Self { listing_a, listing_b, count, intensity: cut(intensity), last_at }
    }
}

/// What was left at all listings since the registry exists.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TotalsRow {
    /// Marks that were left.
    pub marks: u64,
    /// Pairs of listings that were used together.
    pub compositions: u64,
    /// How often each event was.
    pub events: BTreeMap<String, u64>,
}

impl From<&TrailTotals> for TotalsRow {
    fn from(totals: &TrailTotals) -> Self {
        let events = totals.events.iter().map(|(event, total)| (event.as_str().to_owned(), total.count));
        Self { marks: totals.marks, compositions: totals.compositions, events: events.collect() }
    }
}

fn cut(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
