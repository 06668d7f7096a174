//! Moderation of trails: takes away all that was left at one listing. Decay is reckoned when a trail is read, so this is the
//! only evaporation that ever writes, and only the operator may ask for it.

use crate::operator_token;
use crate::prelude::*;
use crate::trails::trace;

pub struct Evaporate;

/// Of which.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing; without it nothing is taken away. It need not be listed any more.
    #[serde(alias = "id")]
    listing_id: Option<String>,
}

/// What was taken away.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    listing_id: ListingId,
    /// Marks that were taken away.
    marks: usize,
    /// Compositions with other listings.
    compositions: usize,
    /// Its values were there, and are not any more.
    values: bool,
    /// Nothing is left; else the same call takes away more.
    complete: bool,
}

impl Operation for Evaporate {
    const NAME: &'static str = "evaporate";
    const TITLE: &'static str = "Evaporate a trail";
    const DESCRIPTION: &'static str = "Takes away all values, marks and compositions at one listing, as moderation. For \
        the operator of this registry only, with the operator's bearer token.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: true, open_world: false };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123"}"#;
    const PHRASES: &'static [&'static str] =
        &["evaporate {id}", "evaporate everything at {id}", "moderate {id} by evaporation"];
    const ACTIONS: &'static [Action] = &[Action { path: trace::PATH, names: &["evaporate"] }];
    const REFUSALS: &'static [u16] = &[401, 403, 404];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        operator_token::require(app, caller)?;
        let Some(asked) = arguments.listing_id else {
            let detail = "`listing_id` must be the id of the listing whose trail is to be taken away.";
            return Err(Problem::invalid("listing_id", "which_listing", detail));
        };
        let id: ListingId = asked.parse().map_err(|_| Problem::listing_not_found(&asked))?;
        let removed = app.store.remove_trail(&id).await?;
        Ok(Answer {
            ok: true,
            version: registry_app::trails::VERSION,
            listing_id: id,
            marks: removed.marks,
            compositions: removed.compositions,
            values: removed.had_values,
            complete: !removed.is_incomplete,
        })
    }
}
