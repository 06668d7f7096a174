//! Moderates trails: deletes all trail values, marks and used-together pairs of a listing. Only the operator may call
//! this operation. Trail values also decrease with time, but this is computed on reading and deletes nothing.

use crate::operation::operator_token;
use crate::prelude::*;

pub struct Evaporate;

/// The listing.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing. The listing itself may already be deleted.
    #[serde(alias = "id")]
    listing_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    /// The number of deleted marks.
    marks: usize,
    /// The number of deleted pairs with other listings.
    compositions: usize,
    /// Whether trail values were deleted.
    values: bool,
    /// Whether everything is deleted. If false, repeat the call.
    complete: bool,
}

impl Operation for Evaporate {
    const NAME: &'static str = "evaporate";
    const TITLE: &'static str = "Delete the trail of a listing";
    const DESCRIPTION: &'static str = "Deletes the whole trail of a listing: its values, its marks and its \
        pairs with other listings. Only for the operator (bearer token), for moderation. Pass listing_id. \
        Returns how many items were deleted, and whether you must repeat the call.";
    const PHRASES: &'static [&'static str] =
        &["evaporate {id}", "evaporate everything at {id}", "moderate {id} by evaporation"];
    const EFFECT: Effect = Effect { idempotent: true, destructive: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "Deleted from the trail of {listing_id}: {marks#mark} and {compositions#pair}{complete?|; repeat the call for the rest}.",
    ];
    const FAMILY: Option<Family> = Some(Family::TRAILS);
    const REFUSALS: &'static [ErrorKind] =
        &[ErrorKind::Unauthenticated, ErrorKind::Forbidden, ErrorKind::NotFound];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        operator_token::require(app, caller)?;
        let Some(given) = arguments.listing_id else {
            let detail = "`listing_id` is required: the listing whose trail to delete.";
            return Err(Problem::invalid("listing_id", Code::WhichListing, detail));
        };
        let unknown = |_| Problem::listing_not_found(&app.settings.base_url, &given);
        let id: ListingId = given.parse().map_err(unknown)?;
        let removed = app.store.remove_trail(&id).await?;
        Ok(Answer {
            listing_id: id,
            marks: removed.marks,
            compositions: removed.compositions,
            values: removed.had_values,
            complete: !removed.is_incomplete,
        })
    }
}
