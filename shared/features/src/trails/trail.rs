//! How trails, marks and compositions (pairs of listings that were used together) are shown. Numbers have
//! three decimals. Names and texts that callers wrote are not verified.

use std::collections::BTreeMap;

use crate::prelude::*;
use registry_model::{Trail, TrailEvent, TrailMark};
use registry_store::{Edge, TrailTotals};

/// The trail of a listing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrailRow {
    pub listing_id: ListingId,
    pub name: String,
    /// Agent or MCP server; null while unknown.
    pub kind: Option<Kind>,
    /// The state of the listing.
    pub lane: Lane,
    /// The score: attraction + 0.6 demand + 0.4 joined + 3 for each endorsement - 1.2 danger.
    pub trail_score: f64,
    /// A value that uses, praise, comments, searches, good probes and the publication increase.
    pub attraction: f64,
    /// A value that failures and warnings increase.
    pub danger: f64,
    /// A value that searches, reads, uses and planned uses increase.
    pub demand: f64,
    /// A value that increases when the listing is published.
    pub joined: f64,
    /// The number of endorsements that counted.
    pub endorsements: u32,
    /// How many marks were left since the trail began; those that decayed or were erased count, too.
    pub marks: u32,
    /// How often each event counted.
    pub event_counts: EventCounts,
}

/// How often each event counted for the trail of a listing.
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
    pub fn of(listing: &Listing, trail: &Trail, oldest_proof: Moment) -> Self {
        let count = |event| trail.count(event);
        Self {
            listing_id: listing.id.clone(),
            name: listing.texts.name.clone(),
            kind: listing.kind,
            lane: listing.public_lane(oldest_proof),
            trail_score: three_decimals(trail.trail_score()),
            attraction: three_decimals(trail.values.attraction),
            danger: three_decimals(trail.values.danger),
            demand: three_decimals(trail.values.demand),
            joined: three_decimals(trail.values.joined),
            endorsements: trail.endorsements(),
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

/// A mark on a trail.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MarkRow {
    #[serde(flatten)]
    pub mark: TrailMark,
    /// The strength of the mark now, whether or not it counted.
    pub strength: f64,
}

impl MarkRow {
    pub fn of(mark: TrailMark, now: Moment) -> Self {
        Self { strength: three_decimals(mark.strength(now)), mark }
    }
}

/// Two listings that were used together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompositionRow {
    /// The first of the two listings, in the order of their ids.
    pub listing_a: ListingId,
    /// The other listing.
    pub listing_b: ListingId,
    /// How often they were used together; 0 for a pair that the operator proposed.
    pub count: u32,
    /// The current strength of the pair. It halves every 240 hours.
    pub intensity: f64,
    /// When they were last used together, or proposed.
    pub last_at: Moment,
}

impl From<Edge> for CompositionRow {
    fn from(edge: Edge) -> Self {
        let Edge { listing_a, listing_b, count, intensity, last_at } = edge;
        Self { listing_a, listing_b, count, intensity: three_decimals(intensity), last_at }
    }
}

/// Counts over all listings since the registry was started.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TotalsRow {
    /// Marks ever left.
    pub marks: u64,
    /// Pairs of listings that were used together.
    pub compositions: u64,
    /// How often each event counted.
    pub events: BTreeMap<String, u64>,
}

impl From<&TrailTotals> for TotalsRow {
    fn from(totals: &TrailTotals) -> Self {
        let events = totals.events.iter().map(|(event, total)| (event.as_str().to_owned(), total.count));
        Self { marks: totals.marks, compositions: totals.compositions, events: events.collect() }
    }
}

fn three_decimals(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
