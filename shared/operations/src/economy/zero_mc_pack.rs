//! What can be used again at no cost of the registry's: Live peers with the evidence that is kept of them, what attests it,
//! and what reading costs. One answer, so that who has it need not ask again.

use std::collections::HashMap;

use crate::economy::cost_model::{self, FORMULA};
use crate::prelude::*;
use registry_domain::economy::cost_model::Cost;
use registry_domain::economy::{EXONOMICS_PATH, EXONOMICS_VERSION};
use registry_domain::views::Peer;
use registry_model::{Listing, TrailEvent};
use registry_store::Board;

const USUAL: usize = 20;
const MOST: usize = 50;

pub struct ZeroMcPack;

/// How much of it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The most peers, from 1 to 50; 20 if not given.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<usize>,
}

/// The pack.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    #[serde(rename = "type")]
    of_type: &'static str,
    version: &'static str,
    at: Moment,
    marginal_cost: MarginalCost,
    /// How many peers are in it.
    count: usize,
    /// Live peers with the strongest trails first, each with the evidence that it answers.
    capabilities: Vec<Peer>,
    attestations: Attestations,
    /// The operations that write nothing.
    cost_model: Vec<Cost>,
    endpoints: Endpoints,
}

/// What the pack costs.
#[derive(Debug, Serialize, JsonSchema)]
struct MarginalCost {
    /// Of using what is in it again.
    usd_of_using_it_again: f64,
    /// Of making it, with what that is computed from.
    of_making_it: Option<Cost>,
    formula: &'static str,
}

/// Where evidence is signed, and how it is verified.
#[derive(Debug, Serialize, JsonSchema)]
struct Attestations {
    /// How many were issued.
    issued: u64,
    /// The keys by which they are verified, without asking the registry again.
    key_set: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Endpoints {
    exonomics: String,
    cost_model: String,
    active: String,
    match_url: String,
    mcp: String,
    a2a: String,
}

impl Operation for ZeroMcPack {
    const NAME: &'static str = "zero_mc_pack";
    const TITLE: &'static str = "Zero marginal cost pack";
    const DESCRIPTION: &'static str = "Packs what can be used again at no marginal cost: Live peers with their evidence, \
        the key set of attestations, and the measured cost of every operation that writes nothing.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"limit": 5}"#;
    const PHRASES: &'static [&'static str] =
        &["give me the zero marginal cost pack", "show the zero mc pack", "pack what is free to use again"];
    const ACTIONS: &'static [Action] = &[Action { path: EXONOMICS_PATH, names: &["zero_mc_pack"] }];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let limit = arguments.limit.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            return Err(Problem::invalid("limit", "out_of_range", "`limit` must be from 1 to 50."));
        }
        let (settings, now) = (&app.settings, app.clock.now());
        // Some of the hottest may have fallen since.
        let hottest = app.store.strongest_listings(Board::Hot, 2 * limit);
        let (ids, totals) = futures::try_join!(hottest, app.store.trail_totals(now))?;
        let capabilities = live(app, &ids, limit).await?;
        let mut operations = cost_model::costs(settings)?;
        let of_making_it = operations.iter().find(|cost| cost.operation() == Self::NAME).cloned();
        operations.retain(|cost| !cost.writes());
        Ok(Answer {
            ok: true,
            of_type: "zero_mc_pack",
            version: EXONOMICS_VERSION,
            at: now,
            marginal_cost: MarginalCost { usd_of_using_it_again: 0.0, of_making_it, formula: FORMULA },
            count: capabilities.len(),
            capabilities,
            attestations: Attestations {
                issued: totals.of(TrailEvent::Attestation).count,
                key_set: settings.url("/.well-known/jwks.json"),
            },
            cost_model: operations,
            endpoints: Endpoints {
                exonomics: settings.url(EXONOMICS_PATH),
                cost_model: settings.url(&format!("{EXONOMICS_PATH}?action=cost_model")),
                active: settings.url("/api/listings/active"),
                match_url: settings.url("/api/match"),
                mcp: settings.url("/api/protocol"),
                a2a: settings.url("/api/a2a"),
            },
        })
    }
}

/// Those that are Live, in the order in which they are named.
async fn live(app: &App, ids: &[ListingId], limit: usize) -> Result<Vec<Peer>, Problem> {
    let listings = app.store.listings(ids).await?.into_iter();
    let listings: HashMap<ListingId, Listing> =
        listings.map(|listing| (listing.id.clone(), listing)).collect();
    let live = ids.iter().filter_map(|id| listings.get(id)).filter(|one| one.is_live(app.oldest_proof()));
    Ok(live.take(limit).map(|listing| Peer::of(listing, &app.settings, app.clock.now())).collect())
}
