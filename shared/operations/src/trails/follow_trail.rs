//! Following trails: the listings that stand first by attraction, danger or demand, or the strongest compositions. Each is a
//! query of an index that is kept in order, so it costs the same however much is listed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{sense_traces, trace};
use crate::operation::{AdvertisedSkill, Effect, Operation};
use crate::route::Action;
use registry_app::App;
use registry_domain::views::trail::{CompositionRow, TrailRow};
use registry_model::error::Problem;
use registry_model::{Caller, ListingId};
use registry_store::Board;

const MOST: u32 = 40;

/// Follows a trail.
#[derive(Debug)]
pub struct FollowTrail;

/// Which.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// `hot` where it is left out; also `dangerous`, `demand` (what is looked for most) and `composition` (what is used
    /// together).
    #[serde(default)]
    kind: TrailKind,
    /// At most so many, from 1 to 40; 12 where it is left out.
    #[schemars(range(min = 1, max = 40))]
    limit: Option<u32>,
}

/// The trails that can be followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TrailKind {
    /// By attraction.
    #[default]
    Hot,
    /// By danger.
    Dangerous,
    /// By demand.
    Demand,
    /// What is used together, by how strongly.
    Composition,
}

/// Where it leads.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// Which trail it is.
    mode: TrailKind,
    /// The strongest first.
    items: Vec<Place>,
    note: &'static str,
}

/// A place on a trail.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Place {
    /// A listing.
    Listing(TrailRow),
    /// Two listings that were used together.
    Composition(CompositionRow),
}

impl Operation for FollowTrail {
    const NAME: &'static str = "follow_trail";
    const TITLE: &'static str = "Follow a trail";
    const DESCRIPTION: &'static str = "Leads along the strongest trails: the hottest listings, the dangerous ones, the \
        peaks of demand, or the compositions that are used together most, the strongest first.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"kind": "hot", "limit": 5}"#;
    const PHRASES: &'static [&'static str] =
        &["follow the trail", "follow the hottest trail", "follow the trail of demand"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "follow-trail",
        name: "Follow a trail",
        description: "Leads to the hottest listings, the dangerous ones, the peaks of demand, or the compositions used most.",
        tags: &["registry", "stigmergy", "trail", "discovery"],
    }];
    const ACTIONS: &'static [Action] = &[Action { path: trace::PATH, names: &["follow_trail", "follow"] }];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let limit = sense_traces::limit(arguments.limit, MOST)?;
        let (items, note) = match arguments.kind {
            TrailKind::Hot => {
                (listings(app, Board::Hot, limit).await?, "By attraction, which halves in 168 hours.")
            }
            TrailKind::Dangerous => {
                (listings(app, Board::Dangerous, limit).await?, "By danger, which halves in 72 hours.")
            }
            TrailKind::Demand => {
                (listings(app, Board::Demand, limit).await?, "By demand, which halves in 48 hours.")
            }
            TrailKind::Composition => {
                (compositions(app, limit).await?, "Used together, by an intensity that halves in 240 hours.")
            }
        };
        Ok(Answer { ok: true, version: registry_app::trails::VERSION, mode: arguments.kind, items, note })
    }
}

async fn listings(app: &App, board: Board, limit: usize) -> Result<Vec<Place>, Problem> {
    let rows = app.store.board(board, limit, app.clock.now()).await?;
    Ok(rows.iter().map(|(listing, trail)| Place::Listing(TrailRow::of(listing, trail))).collect())
}

async fn compositions(app: &App, limit: usize) -> Result<Vec<Place>, Problem> {
    let (edges, listings) = app.store.composition_board(limit, app.clock.now()).await?;
    let is_there = |id: &ListingId| listings.contains_key(id);
    let shown = edges.into_iter().filter(|edge| is_there(&edge.listing_a) && is_there(&edge.listing_b));
    Ok(shown.map(|edge| Place::Composition(edge.into())).collect())
}
