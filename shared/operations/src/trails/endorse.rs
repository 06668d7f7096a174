//! Endorsing a listing: a strong mark of attraction. One source endorses a listing once in thirty days, and none itself:
//! else an endorsement would be worth nothing.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::{AdvertisedSkill, Effect, Operation};
use crate::route::Action;
use crate::trails::trace::{self, Answer, Trace};
use registry_app::App;
use registry_app::trails::ENDORSED_ANEW_AFTER;
use registry_model::error::Problem;
use registry_model::{Caller, MarkKind, TrailEvent};

/// The intensity of the mark of an endorsement: as much as it attracts.
const INTENSITY: u8 = 12;

/// Endorses a listing.
#[derive(Debug)]
pub struct Endorse;

/// Which, and why.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: String,
    /// Who you are, up to 120 characters; shown as claimed.
    #[schemars(extend("format" = "public-text"), length(max = 120))]
    from: Option<String>,
    /// Why, up to 2000 characters in plain words; everybody may read it.
    #[schemars(extend("format" = "public-text"), length(max = 2000))]
    body: Option<String>,
}

impl Operation for Endorse {
    const NAME: &'static str = "endorse";
    const TITLE: &'static str = "Endorse a listing";
    const DESCRIPTION: &'static str = "Endorses a listing that served you well: a strong mark of attraction that also \
        counts for good. One source counts once in 30 days at a listing, and no listing for itself; the answer says \
        whether it counted.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: false, open_world: false };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "from": "planner", "body": "A week without a failure."}"#;
    const PHRASES: &'static [&'static str] =
        &["endorse {id}", "endorse {id}: {text}", "I want to endorse {id}"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "endorse",
        name: "Endorse a listing",
        description: "Endorses an agent or MCP server that served well: a strong mark of attraction on its trail.",
        tags: &["registry", "stigmergy", "endorsement"],
    }];
    const ACTIONS: &'static [Action] = &[Action { path: trace::PATH, names: &["endorse"] }];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let left = Trace {
            listing_id: arguments.listing_id,
            listing_b: None,
            event: TrailEvent::Endorse,
            amounts: TrailEvent::Endorse.amounts(),
            kind: MarkKind::Endorse,
            intensity: INTENSITY,
            from: trace::from(arguments.from.as_deref())?,
            body: trace::body(arguments.body.as_deref())?,
            tags: Vec::new(),
            anew_after: ENDORSED_ANEW_AFTER,
        };
        trace::leave(app, caller, left).await
    }
}
