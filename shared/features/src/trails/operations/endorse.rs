//! Stores a strong positive mark for a listing. Marks of the same source count once in 30 days for a listing.
//! What a listing says of itself does not count, because then endorsements would mean nothing.

use jiff::SignedDuration;

use crate::prelude::*;
use crate::trails::trace::{self, Answer, Trace};
use registry_model::{MarkKind, TrailEvent};

/// The time after which another endorsement of the same source adds something.
const ENDORSEMENT_INTERVAL: SignedDuration = SignedDuration::from_hours(30 * 24);

/// As much as an endorsement adds to attraction.
const INTENSITY: u8 = 12;

pub struct Endorse;

/// The listing to endorse, and why.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing to endorse.
    #[serde(alias = "id")]
    listing_id: String,
    /// Your name, up to 120 characters. Nobody verifies it.
    #[schemars(extend("format" = "public-text"), length(max = 120))]
    from: Option<String>,
    /// Why you endorse it, up to 2000 characters of plain text. The text is public.
    #[schemars(extend("format" = "public-text"), length(max = 2000))]
    body: Option<String>,
}

impl Operation for Endorse {
    const NAME: &'static str = "endorse";
    const TITLE: &'static str = "Endorse a listing";
    const DESCRIPTION: &'static str = "Endorses a listing that worked well for you. Pass its listing_id. You \
        can add your name (from) and the reason (body). Each source counts once in 30 days per listing. A \
        listing that endorses itself counts nothing. Returns the stored mark, whether it counted, and the listing's trail.";
    const PHRASES: &'static [&'static str] =
        &["endorse {id}", "endorse {id}: {it answers within a second}", "I want to endorse {id}"];
    const EFFECT: Effect = Effect::WRITES;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "from": "planner", "body": "A week without a failure."}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The endorsement {mark.id} of {listing_id} from \"{mark.from}\" is stored and {counted?counts|does not count} | : {not_counted_because}",
        "It now has {trail.endorsements#endorsement}.",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Endorses an agent or MCP server that worked well. This raises its place in rankings of \
            use.",
        &["registry", "stigmergy", "endorsement"],
    )];
    const FAMILY: Option<Family> = Some(Family::TRAILS);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let trace = endorsement(arguments.from.as_deref(), arguments.body.as_deref())?;
        trace::leave(app, caller, &arguments.listing_id, None, trace).await
    }
}

pub(super) fn endorsement(from: Option<&str>, body: Option<&str>) -> Result<Trace, Problem> {
    let trace = Trace::new(TrailEvent::Endorse, INTENSITY, from, body)?;
    Ok(Trace { kind: MarkKind::Endorse, repeat_after: ENDORSEMENT_INTERVAL, ..trace })
}
