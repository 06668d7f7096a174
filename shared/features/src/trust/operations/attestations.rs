//! The latest signed statements about a listing that have not expired, with their revocations. The contents of a
//! statement are only in its token. Only the caller who requested the token has it.

use crate::prelude::*;
use registry_model::AttestationRecord;

const DEFAULT_ROWS: u32 = 20;
const MAX_ROWS: u32 = 100;

pub struct Attestations;

/// The listing and the number of rows.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: String,
    /// How many of the latest statements to read, from 1 to 100; expired ones are left out. Default: 20.
    #[schemars(range(min = 1, max = 100), extend("default" = 20))]
    limit: Option<u32>,
}

/// The signed statements.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    /// The statements, newest first.
    attestations: Vec<AttestationRecord>,
    /// The number of these rows.
    count: usize,
}

impl Operation for Attestations {
    const NAME: &'static str = "attestations";
    const TITLE: &'static str = "Statements about a listing";
    const DESCRIPTION: &'static str = "Lists the latest signed statements about a listing, except expired \
        ones, newest first. Each row contains the id, type, key and times of a statement. If a statement was \
        revoked, the row also contains the time and the reason. Pass listing_id. To get a new statement, use \
        attest.";
    const PHRASES: &'static [&'static str] =
        &["list the attestations of {id}", "which attestations does {id} have?", "attestations of {id}"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "limit": 20}"#;
    const SUMMARY: &'static [&'static str] = &[
        "Returned, newest first: {count#unexpired signed statement} about {listing_id}.",
        "[attestations]{type} | {id} | until {expires_at} | , but revoked at {revoked.at}",
    ];
    const FAMILY: Option<Family> = Some(Family::TRUST);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        bounded_number("limit", arguments.limit, DEFAULT_ROWS, MAX_ROWS)?;
        let limit = arguments.limit.unwrap_or(DEFAULT_ROWS);
        let listing = lookup::listing(app, &arguments.listing_id).await?;
        let attestations = app.store.attestations_of(&listing.id, limit, app.clock.now()).await?;
        Ok(Answer { listing_id: listing.id, count: attestations.len(), attestations })
    }
}
