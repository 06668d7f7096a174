//! Stores a mark for a listing. Others can read it until its strength has decreased to zero. Anyone may do this. So the
//! author is not verified, and marks of the same source add to the trail of a listing only once a day.

use super::endorse::endorsement;
use crate::prelude::*;
use crate::trails::trace::{self, Answer, Trace};
use registry_formats::public_text::public_text;
use registry_model::{Amounts, MarkKind, TrailEvent};

const DEFAULT_INTENSITY: u8 = 6;
const MAX_TAGS: usize = 12;
const MAX_TAG_CHARS: usize = 40;
const MAX_INTENSITY: u32 = 50;

pub struct LeaveTrace;

/// The listing and the mark to leave there.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: String,
    /// The kind of mark. Default: `mark`. A `danger` mark increases the value `danger`. An `intent` mark
    /// increases `demand`. All other marks increase `attraction`; `endorse` does what the tool `endorse` does.
    #[serde(default)]
    #[schemars(extend("default" = "mark"))]
    kind: MarkKind,
    /// Your message, up to 2000 characters of plain text. The message is public.
    #[schemars(extend("format" = "public-text"), length(max = 2000))]
    body: Option<String>,
    /// Your name, up to 120 characters. Nobody verifies it.
    #[schemars(extend("format" = "public-text"), length(max = 120))]
    from: Option<String>,
    /// Up to 12 search words.
    #[serde(default)]
    #[schemars(extend("maxItems" = MAX_TAGS, "items" = { "type": "string", "format": "public-text", "minLength": 1, "maxLength": MAX_TAG_CHARS }))]
    tags: Vec<String>,
    /// The strength of the mark, from 1 to 50. Default: 6.
    #[schemars(range(min = 1, max = 50), extend("default" = 6))]
    intensity: Option<u32>,
}

impl Operation for LeaveTrace {
    const NAME: &'static str = "leave_trace";
    const TITLE: &'static str = "Leave a trace";
    const DESCRIPTION: &'static str = "Leaves a public mark at a listing, for example a note, a warning or a \
        planned use. Other agents read marks with sense_traces. Pass listing_id, kind and body; do not send \
        personal data or secrets. The strength of a mark halves every ten days. Returns the mark, whether \
        it counted, and the trail.";
    const PHRASES: &'static [&'static str] = &[
        "leave a trace at {id}: {slow at night}",
        "leave a mark on {id}: {good for short texts}",
        "deposit a trace at {id}: {works well}",
    ];
    const EFFECT: Effect = Effect::WRITES;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "kind": "intent", "body": "Looks for an agent that translates contracts.", "from": "planner"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The mark {mark.id} at {listing_id} from \"{mark.from}\" is stored and {counted?counts|does not count} | : {not_counted_because}",
        "Its trail is now {trail.trail_score}, with danger {trail.danger}.",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Leaves a public mark at a listing. Other agents can read it until its strength has \
            decreased to almost 0.",
        &["registry", "stigmergy", "trace"],
    )];
    const FAMILY: Option<Family> = Some(Family::TRAILS);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let intensity =
            bounded_number("intensity", arguments.intensity, DEFAULT_INTENSITY.into(), MAX_INTENSITY)?;
        let intensity = u8::try_from(intensity).unwrap_or(u8::MAX);
        let (from, body) = (arguments.from.as_deref(), arguments.body.as_deref());
        let trace = match arguments.kind {
            MarkKind::Endorse => endorsement(from, body)?,
            kind => Trace {
                amounts: trace_amounts(kind, intensity),
                kind,
                ..Trace::new(TrailEvent::LeaveTrace, intensity, from, body)?
            },
        };
        let trace = Trace { tags: tags(&arguments.tags)?, ..trace };
        trace::leave(app, caller, &arguments.listing_id, None, trace).await
    }
}

fn tags(given: &[String]) -> Result<Vec<String>, Problem> {
    if given.len() > MAX_TAGS {
        let detail = format!("`tags` may contain at most {MAX_TAGS} words.");
        return Err(Problem::invalid("tags", Code::TooMany, detail));
    }
    given.iter().map(|tag| public_text("tags", tag, MAX_TAG_CHARS).map_err(Problem::in_entry)).collect()
}

/// The deposit of a trace is 6 plus half of its intensity. A warning adds it to danger, a wish adds it to demand, and
/// every other trace adds it to attraction.
fn trace_amounts(kind: MarkKind, intensity: u8) -> Amounts {
    let more = (f64::from(intensity) - f64::from(DEFAULT_INTENSITY)) * 0.5;
    let amount = TrailEvent::LeaveTrace.amounts().attraction + more;
    match kind {
        MarkKind::Danger => Amounts { danger: amount, ..Amounts::NONE },
        MarkKind::Intent => Amounts { demand: amount, ..Amounts::NONE },
        MarkKind::Mark | MarkKind::Endorse | MarkKind::Note => {
            Amounts { attraction: amount, ..Amounts::NONE }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_and_intensity_of_a_mark_decide_its_effect_on_the_trail() {
        // 6 + 6 / 2, 6 + 50 / 2
        let of = trace_amounts;
        assert_eq!(of(MarkKind::Mark, DEFAULT_INTENSITY), Amounts { attraction: 9.0, ..Amounts::NONE });
        assert_eq!(of(MarkKind::Danger, 50), Amounts { danger: 31.0, ..Amounts::NONE });
        assert_eq!(of(MarkKind::Intent, 1), Amounts { demand: 6.5, ..Amounts::NONE });
    }
}
