//! The statements that were signed about one listing and have not expired: which there are and which were revoked. Their
//! words are only in the tokens, which whoever asked for them has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lookup;
use crate::operation::{Effect, Operation};
use crate::route::Action;
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{AttestationRecord, Caller, ListingId};

const USUAL: u32 = 20;
const MOST: u32 = 100;

/// Lists what was signed about a listing.
#[derive(Debug)]
pub struct Attestations;

/// About which listing.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// Its id.
    #[serde(alias = "id")]
    listing_id: String,
    /// How many; 20 where it is left out.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
}

/// What was signed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    listing_id: ListingId,
    /// The newest first.
    attestations: Vec<AttestationRecord>,
    count: usize,
}

impl Operation for Attestations {
    const NAME: &'static str = "attestations";
    const TITLE: &'static str = "Statements about a listing";
    const DESCRIPTION: &'static str = "Lists the signed statements about a listing that have not expired, the newest \
        first: id, type, key, times, and whether one was revoked and why.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "limit": 20}"#;
    const PHRASES: &'static [&'static str] =
        &["list the attestations of {id}", "which attestations does {id} have?", "attestations of {id}"];
    const ACTIONS: &'static [Action] =
        &[Action { path: "/api/products/first-principles", names: &["attestations", "list_attestations"] }];
    const REFUSALS: &'static [u16] = &[404];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let limit = arguments.limit.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            return Err(Problem::invalid("limit", "out_of_range", "`limit` must be from 1 to 100."));
        }
        let listing = lookup::listing(app, &arguments.listing_id).await?;
        let attestations = app.store.attestations_of(&listing.id, limit, app.clock.now()).await?;
        let count = attestations.len();
        Ok(Answer {
            ok: true,
            version: registry_domain::trust::VERSION,
            listing_id: listing.id,
            attestations,
            count,
        })
    }
}
