//! Returns in one answer what clients can reuse without cost to the registry: Live peers with their evidence,
//! the keys that verify statements, and the costs of reads.

use std::collections::BTreeMap;

use super::cost_model::FORMULA;
use crate::economy::EXONOMICS_PATH;
use crate::economy::route_costs::{self, Cost};
use crate::listing::{ProbeSummary, call_url};
use crate::prelude::*;
use registry_model::TrailEvent;
use registry_store::Board;

const DEFAULT_ROWS: u32 = 20;
const MAX_ROWS: u32 = 50;

pub struct ZeroMcPack;

#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The maximum number of peers, from 1 to 50. Default: 20.
    #[schemars(range(min = 1, max = 50), extend("default" = 20))]
    limit: Option<u32>,
}

/// The data to cache.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    #[serde(rename = "type")]
    of_type: &'static str,
    at: Moment,
    marginal_cost: MarginalCost,
    /// Number of peers in `capabilities`.
    count: usize,
    /// Live peers with their evidence, ordered roughly by recent use.
    capabilities: Vec<Capability>,
    attestations: Attestations,
    /// The operations whose example writes nothing, with the price of a million calls in US dollars.
    cost_model: BTreeMap<String, f64>,
    endpoints: Endpoints,
}

/// A Live listing: what it does, where to call it and its evidence. `check_status` returns more.
#[derive(Debug, Serialize, JsonSchema)]
struct Capability {
    listing_id: ListingId,
    kind: Kind,
    name: String,
    /// The first 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    category_id: String,
    /// The URL that answered the handshake. Send your calls to this URL.
    endpoint: String,
    probe: ProbeSummary,
}

#[derive(Debug, Serialize, JsonSchema)]
struct MarginalCost {
    /// The cost of using the data again, in US dollars.
    usd_of_using_it_again: f64,
    /// The measured cost of the example of this operation, with the inputs of the cost.
    of_making_it: Option<Cost>,
    formula: &'static str,
}

/// Signed statements.
#[derive(Debug, Serialize, JsonSchema)]
struct Attestations {
    /// Statements signed so far.
    issued: u64,
    /// The keys that verify the statements offline.
    key_set: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Endpoints {
    exonomics: String,
    active: String,
    match_url: String,
    mcp: String,
    a2a: String,
}

impl Operation for ZeroMcPack {
    const NAME: &'static str = "zero_mc_pack";
    const TITLE: &'static str = "Data that you can cache and use offline";
    const DESCRIPTION: &'static str = "Returns data that you can cache and use offline at no extra cost: \
        Live peers with their evidence, the URL of the keys that verify signed statements, and the cost of \
        operations. Pass limit to set the number of peers.";
    const PHRASES: &'static [&'static str] = &[
        "which data can I cache and use offline?",
        "give me the zero marginal cost pack",
        "show the zero mc pack",
        "pack what is free to use again",
    ];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"limit": 5}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The pack has {count#Live listing} and the costs of operations; using it again costs nothing.",
        "The keys that verify signed statements are at {attestations.key_set} .",
    ];
    const FAMILY: Option<Family> = Some(Family::EXONOMICS);
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let limit = bounded_number("limit", arguments.limit, DEFAULT_ROWS, MAX_ROWS)?;
        let (settings, now) = (&app.settings, app.clock.now());
        // Some of the hottest may no longer be Live.
        let hottest = app.store.strongest_listings(Board::Hot, limit + 20);
        let (ids, totals) = futures::try_join!(hottest, app.store.trail_totals(now))?;
        let capabilities = live(app, &ids, limit).await?;
        let mut operations = route_costs::costs(&settings.prices)?;
        let of_making_it = operations.iter().find(|cost| cost.operation() == Self::NAME).cloned();
        operations.retain(|cost| !cost.writes());
        Ok(Answer {
            of_type: "zero_mc_pack",
            at: now,
            marginal_cost: MarginalCost { usd_of_using_it_again: 0.0, of_making_it, formula: FORMULA },
            count: capabilities.len(),
            capabilities,
            attestations: Attestations {
                issued: totals.of(TrailEvent::Attestation).count,
                key_set: settings.url("/.well-known/jwks.json"),
            },
            cost_model: operations.into_iter().map(Cost::into_price).collect(),
            endpoints: Endpoints {
                exonomics: settings.url(EXONOMICS_PATH),
                active: settings.url("/api/listings/active"),
                match_url: settings.url("/api/match"),
                mcp: settings.url("/api/protocol"),
                a2a: settings.url("/api/a2a"),
            },
        })
    }
}

/// The Live ones of `ids`, in the same order.
async fn live(app: &App, ids: &[ListingId], limit: usize) -> Result<Vec<Capability>, Problem> {
    let mut listings = app.store.listings(ids).await?;
    listings.retain(|listing| listing.is_live(app.oldest_proof()));
    listings.sort_by_key(|listing| ids.iter().position(|id| *id == listing.id));
    let capability = |listing: &Listing| Capability {
        listing_id: listing.id.clone(),
        kind: listing.likely_kind(),
        name: listing.texts.name.clone(),
        description: listing.texts.description.as_deref().map(|text| shorten(text, 200)),
        category_id: listing.texts.category.id().to_owned(),
        endpoint: call_url(listing),
        probe: ProbeSummary::of(listing, app.clock.now()),
    };
    Ok(listings.iter().take(limit).map(capability).collect())
}
