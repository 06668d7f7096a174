//! Leaving a trace: a durable mark at a listing, which others sense and follow until it has decayed. Anybody may, so who
//! leaves it is only claimed, and one source adds to a trail once a day.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::{AdvertisedSkill, Effect, Operation};
use crate::route::Action;
use crate::trails::trace::{self, Answer, Trace};
use registry_app::App;
use registry_app::talk::public_text;
use registry_app::trails::{TRACED_ANEW_AFTER, trace_amounts};
use registry_model::error::Problem;
use registry_model::{Caller, MarkKind, TrailEvent};

const MOST_TAGS: usize = 12;
const LONGEST_TAG: usize = 40;
/// The intensity of a trace that says none.
const USUAL_INTENSITY: i64 = 6;

/// Leaves a trace.
#[derive(Debug)]
pub struct LeaveTrace;

/// Where, and what.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: String,
    /// `mark` where it is left out. A `danger` adds to danger, an `intent` to demand, all else to attraction.
    #[serde(default)]
    kind: MarkKind,
    /// What you have to say, up to 2000 characters in plain words; everybody may read it.
    #[schemars(extend("format" = "public-text"), length(max = 2000))]
    body: Option<String>,
    /// Who you are, up to 120 characters; shown as claimed.
    #[schemars(extend("format" = "public-text"), length(max = 120))]
    from: Option<String>,
    /// Up to 12 words to find it by.
    #[serde(default)]
    #[schemars(extend("maxItems" = MOST_TAGS, "items" = { "type": "string", "format": "public-text", "minLength": 1, "maxLength": LONGEST_TAG }))]
    tags: Vec<String>,
    /// How strong it is, from 1 to 50; 6 where it is left out.
    #[schemars(range(min = 1, max = 50))]
    intensity: Option<i64>,
}

impl Operation for LeaveTrace {
    const NAME: &'static str = "leave_trace";
    const TITLE: &'static str = "Leave a trace";
    const DESCRIPTION: &'static str = "Leaves a durable mark at a listing for others to sense and follow: that you met \
        or used it, an intent, a note, a danger. It decays by half in ten days. Marks are public: no e-mail addresses, \
        no secrets.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: false, open_world: false };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "body": "Answered within a second, and correctly.", "from": "planner"}"#;
    const PHRASES: &'static [&'static str] =
        &["leave a trace at {id}: {text}", "leave a mark on {id}: {text}", "deposit a trace at {id}: {text}"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "leave-trace",
        name: "Leave a trace",
        description: "Leaves a durable mark at a listing, which others sense and follow until it has decayed.",
        tags: &["registry", "stigmergy", "trace"],
    }];
    const ACTIONS: &'static [Action] =
        &[Action { path: trace::PATH, names: &["leave_trace", "leave", "deposit"] }];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let intensity = arguments.intensity.unwrap_or(USUAL_INTENSITY).clamp(1, 50);
        let intensity = u8::try_from(intensity).unwrap_or(50);
        let left = Trace {
            listing_id: arguments.listing_id,
            listing_b: None,
            event: TrailEvent::LeaveTrace,
            amounts: trace_amounts(arguments.kind, intensity),
            kind: arguments.kind,
            intensity,
            from: trace::from(arguments.from.as_deref())?,
            body: trace::body(arguments.body.as_deref())?,
            tags: tags(&arguments.tags)?,
            anew_after: TRACED_ANEW_AFTER,
        };
        trace::leave(app, caller, left).await
    }
}

fn tags(given: &[String]) -> Result<Vec<String>, Problem> {
    if given.len() > MOST_TAGS {
        let detail = format!("`tags` may hold {MOST_TAGS} words. Send the ones that matter most.");
        return Err(Problem::invalid("tags", "too_many", detail));
    }
    given.iter().map(|tag| public_text("tags", tag, LONGEST_TAG)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_few_and_short() {
        let tags = |all: &[&str]| tags(&all.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>());
        assert_eq!(tags(&[" fast ", "weather"]).unwrap(), ["fast", "weather"]);
        assert_eq!(tags(&["x"; 13]).unwrap_err().code, "too_many");
        assert_eq!(tags(&[&"x".repeat(41)]).unwrap_err().code, "text_too_long");
        assert_eq!(tags(&["jane@example.org"]).unwrap_err().code, "email_address");
    }
}
