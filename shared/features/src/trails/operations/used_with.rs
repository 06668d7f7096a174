//! Reports that two listings were used together. A report makes the connection of the two listings stronger.
//! It also adds a little to the trails of listings that were used with one of them before.

use crate::prelude::*;
use crate::trails::trace::{self, Answer, Trace};
use registry_model::TrailEvent;

/// The same amount that one use of a listing adds to its attraction.
const INTENSITY: u8 = 4;

pub struct UsedWith;

/// The two listings that you used together.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the first listing.
    #[serde(alias = "listing_a", alias = "id")]
    listing_id: String,
    /// The id of the second listing.
    listing_b: String,
    /// Your name, up to 120 characters. Nobody verifies it.
    #[schemars(extend("format" = "public-text"), length(max = 120))]
    from: Option<String>,
    /// What you used both listings for, up to 2000 characters of plain text. The text is public.
    #[schemars(extend("format" = "public-text"), length(max = 2000))]
    body: Option<String>,
}

impl Operation for UsedWith {
    const NAME: &'static str = "used_with";
    const TITLE: &'static str = "Report two listings used together";
    const DESCRIPTION: &'static str = "Records that you used two listings together. Call it after a task in \
        which both worked. The registry then shows this pair to others who look at one of the two. Each \
        source counts once a day per pair. Returns the stored mark, whether it counted, and the trail of the \
        first listing.";
    const PHRASES: &'static [&'static str] = &[
        "record that I used {id} together with {id}",
        "record co-use of {id} and {id}",
        "note the co-use of {id} with {id}",
        "co-use of {id} and {id}",
    ];
    const EFFECT: Effect = Effect::WRITES;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "listing_b": "mcp-com-example-weather", "from": "planner"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The report on {mark.listing_id} and {mark.listing_b} is stored and {counted?counts|does not count} | : {not_counted_because}",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Records that you used two listings together. Other agents can then see that the two \
            listings work together.",
        &["registry", "stigmergy", "composition"],
    )];
    const FAMILY: Option<Family> = Some(Family::TRAILS);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        lookup::different(&arguments.listing_id, &arguments.listing_b)?;
        let (from, body) = (arguments.from.as_deref(), arguments.body.as_deref());
        let trace = Trace::new(TrailEvent::UsedWith, INTENSITY, from, body)?;
        trace::leave(app, caller, &arguments.listing_id, Some(&arguments.listing_b), trace).await
    }
}
