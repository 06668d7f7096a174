//! Returns the listings with the highest attraction (recent use), danger (failures and warnings) or demand (interest), or the
//! strongest pairs. Each list is a query of a sorted index, so its cost does not depend on the number of listings.

use super::sense_traces::DEFAULT_ROWS;
use crate::prelude::*;
use crate::trails::trail::{CompositionRow, TrailRow};
use registry_store::Board;

const MAX_ROWS: u32 = 40;

pub struct FollowTrail;

/// The ranking and the number of rows.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The ranking: `hot` (most recent use, the default), `dangerous` (most failures and warnings), `demand` (most
    /// searches, reads and uses) or `composition` (pairs used together).
    #[serde(default)]
    kind: TrailKind,
    /// The maximum number of rows, from 1 to 40. Default: 12.
    #[schemars(range(min = 1, max = 40), extend("default" = 12))]
    limit: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TrailKind {
    #[default]
    Hot,
    Dangerous,
    Demand,
    Composition,
}

/// The ranking.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    mode: TrailKind,
    /// Strongest first.
    items: Vec<Place>,
    note: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Place {
    Listing(TrailRow),
    Composition(CompositionRow),
}

impl Operation for FollowTrail {
    const NAME: &'static str = "follow_trail";
    const TITLE: &'static str = "Follow a trail";
    const DESCRIPTION: &'static str = "Returns a ranking, strongest first. `kind` selects the ranking: `hot` \
        (Live listings with the most recent use), `dangerous` (most failures and warnings), `demand` (most wanted) or \
        `composition` (pairs used together). Use it to discover listings without a search. Pass kind and limit.";
    const PHRASES: &'static [&'static str] =
        &["follow the trail", "follow the hottest trail", "follow the trail of demand"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"kind": "hot", "limit": 5}"#;
    const SUMMARY: &'static [&'static str] = &[
        "Shown of the ranking `{mode}`: {items#row}. {note}",
        r#"Strongest first: [items]"{name}" ({listing_id}) with attraction {attraction} | , {endorsements#endorsement} | , danger {danger} | , demand {demand}"#,
        "Pairs: [items]{listing_a} and {listing_b}, used together {count#time}",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Returns the listings with the most recent use, warnings or searches, or the pairs that \
            were most often used together.",
        &["registry", "stigmergy", "trail", "discovery"],
    )];
    const FAMILY: Option<Family> = Some(Family::TRAILS);
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let limit = bounded_number("limit", arguments.limit, DEFAULT_ROWS, MAX_ROWS)?;
        let (items, note) = match arguments.kind {
            TrailKind::Hot => (
                listings(app, Board::Hot, limit).await?,
                "Ordered by `attraction` (recent use). This value halves every 168 hours.",
            ),
            TrailKind::Dangerous => (
                listings(app, Board::Dangerous, limit).await?,
                "Ordered by `danger` (failures and warnings). This value halves every 72 hours.",
            ),
            TrailKind::Demand => (
                listings(app, Board::Demand, limit).await?,
                "Ordered by `demand` (searches, reads, uses and planned uses). This value halves every 48 hours.",
            ),
            TrailKind::Composition => (
                compositions(app, limit).await?,
                "Ordered by `intensity` (the strength of the pair). This value halves every 240 hours.",
            ),
        };
        Ok(Answer { mode: arguments.kind, items, note })
    }
}

async fn listings(app: &App, board: Board, limit: usize) -> Result<Vec<Place>, Problem> {
    let oldest = app.oldest_proof();
    // "Hot" recommends listings, so it contains only Live ones.
    let only_live = board == Board::Hot;
    let rows = app.store.board(board, if only_live { 2 * limit + 8 } else { limit }, app.clock.now()).await?;
    let shown = rows.iter().filter(|(listing, _)| !only_live || listing.is_live(oldest)).take(limit);
    Ok(shown.map(|(listing, trail)| Place::Listing(TrailRow::of(listing, trail, oldest))).collect())
}

async fn compositions(app: &App, limit: usize) -> Result<Vec<Place>, Problem> {
    let edges = app.store.composition_board(limit, app.clock.now()).await?;
    Ok(edges.into_iter().map(|edge| Place::Composition(edge.into())).collect())
}
