//! A strong positive mark at a listing. A source counts once in 30 days for a listing and never for itself; otherwise
//! endorsements would be worth nothing.

use crate::prelude::*;
use crate::trails::trace::{self, Answer, Trace};
use registry_app::trails::ENDORSEMENT_INTERVAL;
use registry_model::{MarkKind, TrailEvent};

/// As much as an endorsement adds to attraction.
const INTENSITY: u8 = 12;

pub struct Endorse;

/// The listing to endorse, and why.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing to endorse.
    #[serde(alias = "id")]
    listing_id: String,
    /// Your name, up to 120 characters; shown as a claim.
    #[schemars(extend("format" = "public-text"), length(max = 120))]
    from: Option<String>,
    /// Why, up to 2000 characters of plain text; anyone may read it.
    #[schemars(extend("format" = "public-text"), length(max = 2000))]
    body: Option<String>,
}

impl Operation for Endorse {
    const NAME: &'static str = "endorse";
    const TITLE: &'static str = "Endorse a listing";
    const DESCRIPTION: &'static str = "Endorses a listing that worked well for you. Pass its listing_id, and \
        optionally who you are (from) and why (body). A source counts once in 30 days for a listing, and a \
        listing cannot endorse itself. Returns the stored mark, whether it counted and the listing's trail.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: false, open_world: false };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "from": "planner", "body": "A week without a failure."}"#;
    const PHRASES: &'static [&'static str] =
        &["endorse {id}", "endorse {id}: {text}", "I want to endorse {id}"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "endorse",
        name: "Endorse a listing",
        description: "Endorses an agent or MCP server that worked well; this adds much to its attraction.",
        tags: &["registry", "stigmergy", "endorsement"],
    }];
    const ACTIONS: &'static [Action] = &[Action { path: trace::PATH, names: &["endorse"] }];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let trace = Trace {
            kind: MarkKind::Endorse,
            repeat_after: ENDORSEMENT_INTERVAL,
            ..Trace::new(
                TrailEvent::Endorse,
                INTENSITY,
                arguments.from.as_deref(),
                arguments.body.as_deref(),
            )?
        };
        trace::leave(app, caller, &arguments.listing_id, None, trace).await
    }
}
