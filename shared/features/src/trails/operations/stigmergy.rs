//! Overview of the trails family: how fast each value decreases, the weights, and the strongest trails. The
//! numbers are read from the code that uses them.

use std::collections::BTreeMap;

use super::sense_traces;
use crate::funnel::{self, Deal};
use crate::prelude::*;
use crate::trails::trace;
use crate::trails::trail::{CompositionRow, MarkRow, TotalsRow, TrailRow};
use registry_model::{Amounts, Decay, TrailEvent, TrailValue};

/// Rows of each list.
const SHOWN: usize = 8;

pub struct Stigmergy;

/// How trails work, and the strongest trails.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    medium: &'static str,
    model: &'static str,
    /// Half-life of each value in hours.
    half_lives_hours: BTreeMap<&'static str, i64>,
    /// What each event adds to a trail; `leave_trace` with the default kind and intensity.
    auto_weights: Vec<Weight>,
    tools: Vec<&'static str>,
    /// What other calls add to trails as a side effect.
    auto_side_effects: Vec<&'static str>,
    totals: TotalsRow,
    hot_trails: Vec<TrailRow>,
    recent_marks: Vec<MarkRow>,
    /// The strongest compositions.
    compositions: Vec<CompositionRow>,
    /// The founding offer.
    founding_heat: Deal,
    /// The calls for trails.
    endpoints: Vec<NextStep>,
    at: Moment,
    note: &'static str,
}

/// What an event adds to a trail.
#[derive(Debug, Serialize, JsonSchema)]
struct Weight {
    event: &'static str,
    #[serde(flatten)]
    amounts: Amounts,
}

impl Operation for Stigmergy {
    const NAME: &'static str = "stigmergy";
    const TITLE: &'static str = "How trails work";
    const VERSION: Option<&'static str> = Some(crate::trails::VERSION);
    const DESCRIPTION: &'static str = "Explains how trails work. A trail is a set of numbers for a listing: \
        events increase them, and they decrease with time. Returns what each event adds, the half-lives, the \
        trails with most attraction, the newest marks, and the strongest pairs. To read one trail, use \
        sense_traces.";
    const PHRASES: &'static [&'static str] = &[
        "how do trails work?",
        "how does stigmergy work?",
        "explain stigmergy",
        "show the stigmergy overview",
    ];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "{model}",
        r#"So far: {totals.marks#mark} and {totals.compositions#pair}. Trails with most attraction: [hot_trails]"{name}" ({listing_id}), attraction {attraction}"#,
    ];
    const ROUTES: &'static [Route] = &Route::family(trace::PATH);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let live = async { Ok(app.store.live().await?) };
        let (shown, live) = futures::try_join!(sense_traces::all_traces(app, SHOWN), live)?;
        Ok(Answer {
            medium: "A trail is a set of values for a listing. Events increase the values, and the values \
                decrease with time. Anyone can also leave a mark (a short text) at a listing.",
            model: "value * 0.5^(hours / half-life), computed when the value is read. A value below 0.05 \
                counts as 0.",
            half_lives_hours: half_lives(),
            auto_weights: TrailEvent::ALL.into_iter().filter_map(weight).collect(),
            tools: vec!["leave_trace", "sense_traces", "follow_trail", "endorse", "used_with"],
            auto_side_effects: SIDE_EFFECTS.to_vec(),
            totals: shown.totals,
            hot_trails: shown.trails,
            recent_marks: shown.marks,
            compositions: shown.compositions,
            founding_heat: funnel::deal(&app.settings, live.funnel.seats_claimed),
            endpoints: endpoints(app),
            at: shown.at,
            note: "The author of a mark is not verified. In each period, each tool counts a source once for a listing, \
                `used_with` once for a pair. Further marks are shown but do not count.",
        })
    }
}

const SIDE_EFFECTS: [&str; 7] = [
    "A `danger` mark increases `danger` and an `intent` mark `demand`, instead of `attraction`. A higher intensity adds more.",
    "Publishing a new listing adds to `joined` and `attraction`.",
    "A probe that succeeds for the first time in a week, or after a failure or a restore, increases `attraction` and reduces `danger`. \
        A probe whose handshake is `fail`, not by a timeout, a 5xx or the like, increases `danger`.",
    "A search with match_capability, if not `nearest_only`, increases `demand` of its five best hits, most of all for the first. \
        Each caller counts once an hour.",
    "When a caller reads the marks of one listing, its `demand` increases, once an hour for each caller.",
    "When a pair is used, listings that were used with one of the two before also gain.",
    "What reads add waits in memory until a later request writes it. If the process ends before, it is lost.",
];

fn half_lives() -> BTreeMap<&'static str, i64> {
    let values = TrailValue::ALL.into_iter().map(|value| (value.as_str(), value.decay().half_life_hours()));
    values.chain([("mark", Decay::MARK.half_life_hours())]).collect()
}

fn weight(event: TrailEvent) -> Option<Weight> {
    let weight = Weight { event: event.as_str(), amounts: event.amounts() };
    (weight.amounts != Amounts::NONE).then_some(weight)
}

fn endpoints(app: &App) -> Vec<NextStep> {
    let step = |tool, body, note: &str| NextStep::post(tool, app.settings.url(trace::PATH), body, note);
    let own_step = |tool, arguments: &str| {
        let note = format!("Send {{\"action\": \"{tool}\", {arguments}}}.");
        NextStep::post_own(tool, app.settings.url(trace::PATH), note)
    };
    let hot = json!({ "action": "follow_trail", "kind": "hot" });
    vec![
        step("sense_traces", json!({ "action": "sense_traces", "limit": 12 }), "Read what others left."),
        step("follow_trail", hot, "List the listings with the most recent use."),
        own_step("leave_trace", "\"listing_id\": …, \"body\": …, \"from\": …"),
        own_step("endorse", "\"listing_id\": …, \"from\": …"),
        own_step("used_with", "\"listing_id\": …, \"listing_b\": …"),
    ]
}
