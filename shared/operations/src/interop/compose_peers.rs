//! Whom a listing works with: those that it was used with, by their trails, and those of the other kind that match what it
//! says of itself. Each with the request that reaches it.

use crate::lookup;
use crate::prelude::*;
use registry_domain::interop::{self, CapabilityNode, Invocation, Wish};
use registry_model::{EntryProtocol, Kind, Lane};
use registry_store::NamedListing;

/// Peers of each sort where no limit is given.
const USUAL: u32 = 10;
const MOST: u32 = 20;

pub struct ComposePeers;

/// Which listing.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// Its id.
    #[serde(alias = "id")]
    listing_id: String,
    /// At most so many peers of each sort, from 1 to 20; 10 where it is left out.
    #[schemars(range(min = 1, max = 20))]
    limit: Option<u32>,
}

/// Whom it works with.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    listing_id: ListingId,
    name: String,
    /// Live listings that it was used with, the strongest first.
    compositions: Vec<Composition>,
    /// Live listings of the other kind that match what it says of itself, the best first.
    suggestions: Vec<Suggestion>,
    /// What to do with it, in a sentence.
    note: String,
}

/// Two listings that were used together.
#[derive(Debug, Serialize, JsonSchema)]
struct Composition {
    listing_a: ListingId,
    listing_b: ListingId,
    name_a: String,
    name_b: String,
    /// How often.
    count: u32,
    /// How strong it is; it decays.
    intensity: f64,
    /// When they were last used together.
    last_at: Moment,
    /// The one that was not asked about.
    peer_focus: ListingId,
    /// How that one is called.
    invoke: Invocation,
}

/// A listing that goes well with the one that was asked about.
#[derive(Debug, Serialize, JsonSchema)]
struct Suggestion {
    listing_id: ListingId,
    name: String,
    kind: Kind,
    /// Why it is suggested.
    why: String,
    /// How it is called.
    invoke: Invocation,
}

impl Operation for ComposePeers {
    const NAME: &'static str = "compose_peers";
    const TITLE: &'static str = "Whom does it work with?";
    const DESCRIPTION: &'static str = "Tells whom a listing works with: Live listings it was used with (trails of \
        used_with), and Live listings of the other kind that match what it says of itself, each with a ready request.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "limit": 5}"#;
    const PHRASES: &'static [&'static str] =
        &["which peers compose with {id}?", "compose peers for {id}", "who goes well with {id}?"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "compose-peers",
        name: "Whom does it work with?",
        description: "Tells the listings that one was used with, and those that complement it.",
        tags: &["registry", "interop", "composition", "peers"],
    }];
    const ACTIONS: &'static [Action] =
        &[Action { path: "/api/products/interop", names: &["compose", "compose_peers"] }];
    const REFUSALS: &'static [u16] = &[404];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let limit = arguments.limit.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            let detail = format!("`limit` must be from 1 to {MOST}.");
            return Err(Problem::invalid("limit", "out_of_range", detail));
        }
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let listing = lookup::listing_with_evidence(app, &arguments.listing_id).await?;
        if listing.0.lane == Lane::Withdrawn {
            return Err(Problem::listing_not_found(&arguments.listing_id));
        }
        let compositions = compositions(app, &listing, limit).await?;
        let known: Vec<&ListingId> = compositions.iter().map(|known| &known.peer_focus).collect();
        let suggested = interop::suggestions(app, &listing, limit).await?;
        let suggested: Vec<&NamedListing> =
            suggested.iter().filter(|(peer, _)| !known.contains(&&peer.id)).collect();
        let ids: Vec<ListingId> = suggested.iter().map(|(peer, _)| peer.id.clone()).collect();
        let trails = interop::trail_scores(app, &ids).await?;
        let suggestion = |peer: &&NamedListing| {
            let trail = trails.get(&peer.0.id).copied().unwrap_or_default();
            Suggestion {
                listing_id: peer.0.id.clone(),
                name: peer.0.name.clone(),
                kind: peer.0.shown_kind(),
                why: match peer.0.shown_kind() {
                    Kind::Mcp => format!("its tools match what {} says of itself", listing.0.name),
                    Kind::Agent => format!("what it says of itself matches the tools of {}", listing.0.name),
                },
                invoke: invocation(app, peer, trail),
            }
        };
        let suggestions: Vec<Suggestion> = suggested.iter().map(suggestion).collect();
        Ok(Answer {
            ok: true,
            version: interop::VERSION,
            listing_id: listing.0.id.clone(),
            name: listing.0.name.clone(),
            compositions,
            suggestions,
            note: "Call a peer by its `invoke`; tell what came of it by used_with and deposit_outcome."
                .to_owned(),
        })
    }
}

fn invocation(app: &App, peer: &NamedListing, trail: f64) -> Invocation {
    let node = CapabilityNode::of(peer, trail, &app.settings);
    let prefer = match peer.0.shown_kind() {
        Kind::Agent => EntryProtocol::A2a,
        Kind::Mcp => EntryProtocol::Mcp,
    };
    Invocation::of(&node, peer, Wish::default(), prefer, &app.settings, &app.random)
}

async fn compositions(app: &App, listing: &NamedListing, limit: usize) -> Result<Vec<Composition>, Problem> {
    let own = &listing.0;
    let edges = app.store.edges_of(&own.id, limit, app.clock.now()).await?;
    let ids: Vec<ListingId> = edges.iter().map(|edge| edge.other(&own.id).clone()).collect();
    let peers = interop::live_in_order(app, &ids).await?;
    let trails = interop::trail_scores(app, &ids).await?;
    let composition = |edge: &registry_store::Edge| {
        let other = edge.other(&own.id);
        let peer = peers.iter().find(|(peer, _)| peer.id == *other)?;
        let name = |id: &ListingId| if *id == own.id { own.name.clone() } else { peer.0.name.clone() };
        Some(Composition {
            name_a: name(&edge.listing_a),
            name_b: name(&edge.listing_b),
            listing_a: edge.listing_a.clone(),
            listing_b: edge.listing_b.clone(),
            count: edge.count,
            intensity: edge.intensity,
            last_at: edge.last_at,
            peer_focus: other.clone(),
            invoke: invocation(app, peer, trails.get(other).copied().unwrap_or_default()),
        })
    };
    Ok(edges.iter().filter_map(composition).collect())
}
