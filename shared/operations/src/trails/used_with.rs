//! Telling that two listings were used together: it strengthens their composition, and a little of it spreads to those that
//! were used with one of them before.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::{AdvertisedSkill, Effect, Operation};
use crate::route::Action;
use crate::trails::trace::{self, Answer, Trace};
use registry_app::App;
use registry_app::trails::TRACED_ANEW_AFTER;
use registry_model::error::Problem;
use registry_model::{Caller, ListingId, MarkKind, TrailEvent};

/// The intensity of the mark of a use: as much as it attracts.
const INTENSITY: u8 = 4;

/// Tells of two listings.
#[derive(Debug)]
pub struct UsedWith;

/// Which.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of one listing.
    #[serde(alias = "listing_a", alias = "id")]
    listing_id: String,
    /// The id of the other.
    listing_b: String,
    /// Who you are, up to 120 characters; shown as claimed.
    #[schemars(extend("format" = "public-text"), length(max = 120))]
    from: Option<String>,
    /// What for, up to 2000 characters in plain words; everybody may read it.
    #[schemars(extend("format" = "public-text"), length(max = 2000))]
    body: Option<String>,
}

impl Arguments {
    /// Two listings that another operation found to be there.
    pub(crate) fn of(listing: &ListingId, other: &ListingId, from: Option<String>) -> Self {
        Self { listing_id: listing.to_string(), listing_b: other.to_string(), from, body: None }
    }
}

impl Operation for UsedWith {
    const NAME: &'static str = "used_with";
    const TITLE: &'static str = "Used together";
    const DESCRIPTION: &'static str = "Records that you used two listings together. Others find the pair among the \
        compositions of either, the strongest first. One source counts once a day for a pair.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: false, open_world: false };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "listing_b": "mcp-com-example-weather", "from": "planner"}"#;
    const PHRASES: &'static [&'static str] =
        &["record co-use of {id} and {id}", "note the co-use of {id} with {id}", "co-use of {id} and {id}"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "used-with",
        name: "Used together",
        description: "Records that two listings were used together, so that others find what works with what.",
        tags: &["registry", "stigmergy", "composition"],
    }];
    const ACTIONS: &'static [Action] = &[Action { path: trace::PATH, names: &["used_with"] }];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        if arguments.listing_id == arguments.listing_b {
            let detail = "`listing_b` must be another listing than `listing_id`.";
            return Err(Problem::invalid("listing_b", "same_listing", detail));
        }
        let left = Trace {
            listing_id: arguments.listing_id,
            listing_b: Some(arguments.listing_b),
            event: TrailEvent::UsedWith,
            amounts: TrailEvent::UsedWith.amounts(),
            kind: MarkKind::Mark,
            intensity: INTENSITY,
            from: trace::from(arguments.from.as_deref())?,
            body: trace::body(arguments.body.as_deref())?,
            tags: Vec::new(),
            anew_after: TRACED_ANEW_AFTER,
        };
        trace::leave(app, caller, left).await
    }
}
