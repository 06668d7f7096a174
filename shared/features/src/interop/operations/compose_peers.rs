//! Finds listings that work together with a given listing. These are listings that were used together with
//! it, and listings of the other kind that match its description. Each result contains a request that the
//! caller can send as it is.

use crate::interop::Invocation;
use crate::prelude::*;
use registry_store::NamedListing;

/// Per list.
const DEFAULT_ROWS: u32 = 10;
const MAX_ROWS: u32 = 20;
/// Suggestions that are searched although enough compositions are known.
const MIN_SUGGESTIONS: usize = 3;

pub struct ComposePeers;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: String,
    /// The maximum number of listings in each list, from 1 to 20. Default: 10.
    #[schemars(range(min = 1, max = 20), extend("default" = 10))]
    limit: Option<u32>,
}

/// The listings that work with the given listing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    name: String,
    /// Live listings that were used together with the given listing, strongest first.
    compositions: Vec<Composition>,
    /// Live listings of the other kind at other hosts that match the given listing's description, best first.
    suggestions: Vec<Suggestion>,
    note: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Composition {
    listing_a: ListingId,
    listing_b: ListingId,
    name_a: String,
    name_b: String,
    /// How often both listings were used together.
    count: u32,
    /// The strength of the pair. It decreases with time.
    intensity: f64,
    /// When both listings were last used together.
    last_at: Moment,
    /// The other listing of the pair.
    peer_focus: ListingId,
    /// How to call the other listing.
    invoke: Invocation,
}

/// A listing that matches the given listing.
#[derive(Debug, Serialize, JsonSchema)]
struct Suggestion {
    listing_id: ListingId,
    name: String,
    kind: Kind,
    /// What matches the description of the given listing.
    why: String,
    /// How to call this listing.
    invoke: Invocation,
}

impl Operation for ComposePeers {
    const NAME: &'static str = "compose_peers";
    const TITLE: &'static str = "Listings that work with a listing";
    const DESCRIPTION: &'static str = "Returns Live listings that work with a given listing, in two lists. \
        The first contains listings that callers used together with it. The second contains listings of the \
        other kind (agent or MCP server) at other hosts that match its description. Each row has a complete \
        request. Pass listing_id.";
    const PHRASES: &'static [&'static str] = &[
        "which peers work well with {id}?",
        "which peers compose with {id}?",
        "compose peers for {id}",
        "who goes well with {id}?",
    ];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "limit": 5}"#;
    const SUMMARY: &'static [&'static str] = &[
        r#"Shown for "{name}" ({listing_id}): used with it {compositions#}, suggested {suggestions#}."#,
        r#"Used together: [compositions]"{name_a}" and "{name_b}", {count#time}"#,
        r#"Suggestions: [suggestions]"{name}" ({listing_id}) | : {why}"#,
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Returns the listings that were used together with a given listing, and listings that \
            match it.",
        &["registry", "interop", "composition", "peers"],
    )];
    const FAMILY: Option<Family> = Some(Family::INTEROP);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let limit = bounded_number("limit", arguments.limit, DEFAULT_ROWS, MAX_ROWS)?;
        let listing = lookup::visible_listing_with_evidence(app, &arguments.listing_id).await?;
        let compositions = compositions(app, &listing, limit).await?;
        // Each row costs a read of evidence, so both lists together have few more rows than the limit.
        let left = limit.saturating_sub(compositions.len()).max(MIN_SUGGESTIONS.min(limit));
        let mut suggested = crate::interop::suggestions(app, &listing, left).await?;
        suggested.retain(|(peer, _)| compositions.iter().all(|known| known.peer_focus != peer.0.id));
        let ids: Vec<ListingId> = suggested.iter().map(|(peer, _)| peer.0.id.clone()).collect();
        let trails = crate::interop::trail_scores(app, &ids).await?;
        let suggestion = |(peer, why): &(NamedListing, String)| {
            let trail = trails.get(&peer.0.id).copied().unwrap_or_default();
            let invoke = Invocation::usual(app, peer, trail, "").1;
            let (listing_id, name, kind) =
                (peer.0.id.clone(), peer.0.texts.name.clone(), peer.0.likely_kind());
            Suggestion { listing_id, name, kind, why: why.clone(), invoke }
        };
        let suggestions: Vec<Suggestion> = suggested.iter().map(suggestion).collect();
        let note = match compositions.len() + suggestions.len() {
            0 => "No Live listing that works with it was found.",
            _ => "Call one with its `invoke`. Then report the result with used_with and deposit_outcome.",
        };
        let (listing_id, name) = (listing.0.id.clone(), listing.0.texts.name.clone());
        Ok(Answer { listing_id, name, compositions, suggestions, note })
    }
}

async fn compositions(app: &App, listing: &NamedListing, limit: usize) -> Result<Vec<Composition>, Problem> {
    let own = &listing.0;
    let edges = app.store.edges_of(&own.id, MAX_ROWS as usize, app.clock.now()).await?;
    let ids: Vec<ListingId> = edges.iter().map(|edge| edge.other(&own.id).clone()).collect();
    let peers = crate::interop::live_in_order(app, &ids).await?;
    let trails = crate::interop::trail_scores(app, &ids).await?;
    let composition = |edge: &registry_store::Edge| {
        let other = edge.other(&own.id);
        let peer = peers.iter().find(|(peer, _)| peer.id == *other)?;
        let name =
            |id: &ListingId| if *id == own.id { own.texts.name.clone() } else { peer.0.texts.name.clone() };
        Some(Composition {
            name_a: name(&edge.listing_a),
            name_b: name(&edge.listing_b),
            listing_a: edge.listing_a.clone(),
            listing_b: edge.listing_b.clone(),
            count: edge.count,
            intensity: edge.intensity,
            last_at: edge.last_at,
            peer_focus: other.clone(),
            invoke: Invocation::usual(app, peer, trails.get(other).copied().unwrap_or_default(), "").1,
        })
    };
    // A pair that the operator proposed was not used.
    Ok(edges.iter().filter(|edge| edge.count > 0).filter_map(composition).take(limit).collect())
}
