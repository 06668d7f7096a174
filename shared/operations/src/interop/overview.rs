//! The interop family at a glance: what is connected with what, how each protocol is used, and what may be asked here. Its
//! endpoint takes the actions of the whole family.

use std::collections::BTreeMap;

use crate::interop::attractor_targets::AttractorTargets;
use crate::interop::compose_peers::ComposePeers;
use crate::interop::deposit_outcome::{DepositOutcome, ShownOutcome};
use crate::interop::execute_compose::ExecuteCompose;
use crate::interop::get_incentives::GetIncentives;
use crate::interop::interop_resolve::InteropResolve;
use crate::interop::interop_session::InteropSession;
use crate::interop::join_and_contribute::JoinAndContribute;
use crate::interop::seed_compositions::SeedCompositions;
use crate::prelude::*;
use registry_domain::interop::{self, Adapter};
use registry_model::{MOST_STEPS, TrailEvent};
use registry_store::{Edge, SESSION_KEPT};

const PATH: &str = "/api/products/interop";
/// Compositions and outcomes that are shown.
const SHOWN: u32 = 8;

pub struct Interop;

/// The family at a glance.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// What it does, in a sentence.
    pitch: &'static str,
    /// How much is connected.
    graph: Graph,
    /// How each protocol is used.
    adapters: Vec<Adapter>,
    /// The strongest compositions.
    compositions: Vec<Composition>,
    /// Sessions so far.
    sessions: Sessions,
    /// What was counted.
    totals: Totals,
    /// The latest counted outcomes.
    outcomes_recent: Vec<ShownOutcome>,
    /// The actions of this endpoint, and the tools that they are in MCP and A2A.
    actions: BTreeMap<&'static str, &'static str>,
    /// Where requests go.
    endpoints: Endpoints,
    /// What holds for all of it.
    laws: Vec<String>,
}

/// How much is connected.
#[derive(Debug, Serialize, JsonSchema)]
struct Graph {
    /// Live listings.
    nodes: u32,
    /// Pairs that were used together.
    compositions: u64,
}

/// Two listings that work together.
#[derive(Debug, Serialize, JsonSchema)]
struct Composition {
    listing_a: ListingId,
    listing_b: ListingId,
    /// How often they were used together; 0 where that was only proposed.
    count: u32,
    /// How strong it is; it decays.
    intensity: f64,
    last_at: Moment,
    /// The operator proposed it, and nobody has used it yet.
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
    /// Opened so far.
    opened: u64,
    /// Closed by those who opened them; the others were, or will be, forgotten.
    closed: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Totals {
    /// Uses of two listings together.
    used_with: u64,
    /// Reports of how it went.
    outcomes: u64,
    /// How many of them were good.
    outcomes_ok: u64,
    /// Marks at trails.
    marks: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Endpoints {
    /// This family.
    interop: String,
    /// Marks and trails.
    stigmergy: String,
    /// What other registries know.
    federation: String,
    /// Every operation as an MCP tool.
    mcp: String,
    /// Every operation by A2A.
    a2a: String,
    /// Search in plain words.
    ard: String,
    /// Listing.
    publish: String,
}

impl Operation for Interop {
    const NAME: &'static str = "interop";
    const TITLE: &'static str = "Interop at a glance";
    const DESCRIPTION: &'static str = "Tells what the interop family does: how listings of different protocols are \
        connected, the strongest compositions, the latest outcomes, and the actions of its endpoint.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["show interop at a glance", "what does the interop family do?", "interop overview"];
    const ROUTES: &'static [Route] = &Route::family(PATH);
    const ACTIONS: &'static [Action] = &[Action { path: PATH, names: &["status", "graph"] }];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let (store, settings, now) = (&app.store, &app.settings, app.clock.now());
        let shown = usize::try_from(SHOWN).unwrap_or(usize::MAX);
        let (live, totals, sessions, edges, outcomes) = futures::try_join!(
            store.live(),
            store.trail_totals(now),
            store.session_totals(),
            store.strongest_edges(shown, now),
            store.recent_outcomes(SHOWN),
        )?;
        let url = |path| settings.url(path);
        Ok(Answer {
            ok: true,
            version: interop::VERSION,
            pitch: "From a need to a request that reaches a Live listing in the protocol that it proved, and from its \
                outcome back to who is found next.",
            graph: Graph { nodes: live.agents + live.mcps, compositions: totals.compositions },
            adapters: interop::adapters(),
            compositions: edges.into_iter().map(Composition::from).collect(),
            sessions: Sessions { opened: sessions.opened, closed: sessions.closed },
            totals: Totals {
                used_with: totals.of(TrailEvent::UsedWith).count,
                outcomes: totals.of(TrailEvent::Outcome).count,
                outcomes_ok: totals.outcomes_ok,
                marks: totals.marks,
            },
            outcomes_recent: outcomes.into_iter().map(ShownOutcome::from).collect(),
            actions: actions(),
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
                "The registry resolves and records; it calls no listing on a caller's behalf.".to_owned(),
                "A request is made from what the last probe proved, and says which version that was."
                    .to_owned(),
                "One outcome per source, listing and hour counts; what a listing says of itself does not."
                    .to_owned(),
                format!(
                    "A session is kept for {} days with at most {MOST_STEPS} steps; whoever knows its id may read it.",
                    SESSION_KEPT / 86_400
                ),
                "A stranger's proposal makes no edge: compositions grow from use.".to_owned(),
            ],
        })
    }
}

/// The names of the actions here, and their tools.
fn actions() -> BTreeMap<&'static str, &'static str> {
    let members = [
        (InteropResolve::NAME, InteropResolve::ACTIONS),
        (ComposePeers::NAME, ComposePeers::ACTIONS),
        (InteropSession::NAME, InteropSession::ACTIONS),
        (ExecuteCompose::NAME, ExecuteCompose::ACTIONS),
        (DepositOutcome::NAME, DepositOutcome::ACTIONS),
        (SeedCompositions::NAME, SeedCompositions::ACTIONS),
        (JoinAndContribute::NAME, JoinAndContribute::ACTIONS),
        (AttractorTargets::NAME, AttractorTargets::ACTIONS),
        (GetIncentives::NAME, GetIncentives::ACTIONS),
    ];
    let all =
        members.into_iter().flat_map(|(tool, actions)| actions.iter().map(move |action| (tool, action)));
    let here = all.filter(|(_, action)| action.path == PATH);
    here.flat_map(|(tool, action)| action.names.iter().map(move |name| (*name, tool))).collect()
}
