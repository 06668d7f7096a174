//! Overview of the interop family: connections between listings, the use of each protocol, and totals.

use super::attractor_targets::AttractorTargets;
use super::compose_peers::ComposePeers;
use super::deposit_outcome::{DepositOutcome, ShownOutcome};
use super::execute_compose::ExecuteCompose;
use super::get_incentives::GetIncentives;
use super::interop_resolve::InteropResolve;
use super::interop_session::InteropSession;
use super::join_and_contribute::JoinAndContribute;
use super::seed_compositions::SeedCompositions;
use crate::interop::Adapter;
use crate::prelude::*;
use registry_model::{MAX_SESSION_STEPS, Outcome, TrailEvent};
use registry_store::{Edge, SESSION_RETENTION};

const PATH: &str = Family::INTEROP.path;
/// Rows of each list.
const SHOWN: u32 = 8;

const TOOLS: [&str; 9] = [
    InteropResolve::NAME,
    ComposePeers::NAME,
    InteropSession::NAME,
    ExecuteCompose::NAME,
    DepositOutcome::NAME,
    SeedCompositions::NAME,
    JoinAndContribute::NAME,
    AttractorTargets::NAME,
    GetIncentives::NAME,
];

pub struct Interop;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    pitch: &'static str,
    graph: Graph,
    /// How to call a listing in each protocol.
    adapters: Vec<Adapter>,
    /// The strongest pairs of listings.
    compositions: Vec<Composition>,
    sessions: Sessions,
    totals: Totals,
    /// Of the latest eight outcomes, those that are still stored and whose listing is shown.
    outcomes_recent: Vec<ShownOutcome>,
    tools: Vec<&'static str>,
    endpoints: Endpoints,
    /// Rules that always apply.
    laws: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Graph {
    /// Live listings.
    nodes: u32,
    /// Pairs of listings that were used together.
    compositions: u64,
}

/// Two listings used together.
#[derive(Debug, Serialize, JsonSchema)]
struct Composition {
    listing_a: ListingId,
    listing_b: ListingId,
    /// How often both listings were used together. It is 0 for a pair that was only proposed.
    count: u32,
    /// The strength of the pair. It decreases with time.
    intensity: f64,
    last_at: Moment,
    /// Whether the operator proposed the pair and no use was reported yet.
    seeded: bool,
}

impl From<Edge> for Composition {
    fn from(edge: Edge) -> Self {
        let Edge { listing_a, listing_b, count, intensity, last_at } = edge;
        Self { listing_a, listing_b, count, intensity, last_at, seeded: count == 0 }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct Sessions {
    opened: u64,
    /// The number of sessions that a caller closed. The other sessions expire.
    closed: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Totals {
    /// Reported uses of a pair.
    used_with: u64,
    /// Reported outcomes.
    outcomes: u64,
    outcomes_ok: u64,
    marks: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Endpoints {
    interop: String,
    stigmergy: String,
    /// Other registries.
    federation: String,
    /// The operations as MCP tools.
    mcp: String,
    /// The operations over A2A.
    a2a: String,
    /// Search in plain words.
    ard: String,
    publish: String,
}

impl Operation for Interop {
    const NAME: &'static str = "interop";
    const TITLE: &'static str = "Interop overview";
    const VERSION: Option<&'static str> = Some(crate::interop::VERSION);
    const DESCRIPTION: &'static str = "Returns an overview of the interop tools: how to call listings in \
        each protocol, and the tools. Also returns the strongest pairs of listings, the \
        latest reported outcomes, and totals. Use it to choose an interop tool.";
    const PHRASES: &'static [&'static str] =
        &["show interop at a glance", "what does the interop family do?", "interop overview"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "{pitch}",
        "{totals.outcomes#outcome} reported, {totals.outcomes_ok} of them good; {graph.compositions#pair} used together.",
    ];
    const ROUTES: &'static [Route] = &Route::family(PATH);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let (store, settings, now) = (&app.store, &app.settings, app.clock.now());
        let shown = usize::try_from(SHOWN).unwrap_or(usize::MAX);
        let (live, totals, sessions, edges, outcomes) = futures::try_join!(
            store.live(),
            store.trail_totals(now),
            store.session_totals(),
            store.composition_board(shown, now),
            store.recent_outcomes(SHOWN),
        )?;
        let ids: Vec<ListingId> = outcomes.iter().map(|outcome| outcome.listing_id.clone()).collect();
        let listings = store.shown_listings(&ids).await?;
        let is_shown = |outcome: &Outcome| {
            listings.iter().any(|listing| listing.id == outcome.listing_id && listing.lane != Lane::Withdrawn)
        };
        let url = |path| settings.url(path);
        Ok(Answer {
            pitch: "You describe a need and get a complete request to a Live listing, in a protocol that the \
                listing answered in. Trails and outcomes order equally good hits of match_capability.",
            graph: Graph { nodes: live.agents + live.mcps, compositions: totals.compositions },
            adapters: crate::interop::adapters(),
            compositions: edges.into_iter().map(Composition::from).collect(),
            sessions: Sessions { opened: sessions.opened, closed: sessions.closed },
            totals: Totals {
                used_with: totals.of(TrailEvent::UsedWith).count,
                outcomes: totals.of(TrailEvent::Outcome).count,
                outcomes_ok: totals.outcomes_ok,
                marks: totals.marks,
            },
            outcomes_recent: outcomes.into_iter().filter(is_shown).map(ShownOutcome::from).collect(),
            tools: TOOLS.into(),
            endpoints: Endpoints {
                interop: url(PATH),
                stigmergy: url("/api/products/stigmergy"),
                federation: url("/api/products/federation"),
                mcp: url("/api/protocol"),
                a2a: url("/api/a2a"),
                ard: url("/api/ard/search"),
                publish: url("/api/publish"),
            },
            laws: vec![
                "The registry finds listings and records their use. It never calls a listing for a \
                    caller.".to_owned(),
                "A request is built from the last probe that passed, in the protocol version that it proved."
                    .to_owned(),
                "For each source and listing, one outcome per clock hour counts. Reports of a listing about itself \
                    do not count."
                    .to_owned(),
                format!(
                    "A session is kept for {} days and has at most {MAX_SESSION_STEPS} steps. Anyone who \
                        knows its id can read and append.",
                    SESSION_RETENTION / 86_400
                ),
                "Pairs are stored with `used_with`; proposed pairs only by the operator.".to_owned(),
            ],
        })
    }
}
