//! Overview of the trails family: half-lives and weights, read from the code that uses them, and the
//! strongest trails.

use std::collections::BTreeMap;

use crate::prelude::*;
use crate::trails::{sense_traces, trace};
use registry_domain::funnel::{self, Deal};
use registry_domain::views::trail::{CompositionRow, MarkRow, TotalsRow, TrailRow};
use registry_model::{Decay, TrailEvent, TrailValue};

/// Rows of each list.
const SHOWN: usize = 8;

pub struct Stigmergy;

/// How trails work, and the strongest trails.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    medium: &'static str,
    model: &'static str,
    /// Half-life of each value in hours.
    half_lives_hours: BTreeMap<&'static str, i64>,
    /// What each event adds to a trail.
    auto_weights: Vec<Weight>,
    /// The tools for trails.
    tools: Vec<&'static str>,
    /// What other calls add to trails as a side effect.
    auto_side_effects: Vec<&'static str>,
    totals: TotalsRow,
    /// The hottest trails.
    hot_trails: Vec<TrailRow>,
    /// The newest marks.
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
    attraction: f64,
    danger: f64,
    demand: f64,
    joined: f64,
}

impl Operation for Stigmergy {
    const NAME: &'static str = "stigmergy";
    const TITLE: &'static str = "How trails work";
    const DESCRIPTION: &'static str = "Returns how trails work (half-lives, what each event adds, the \
        tools), the hottest trails, the newest marks and the strongest compositions. A trail is a set of \
        values for a listing: events increase them, and they decrease with time. To read trails, use \
        sense_traces or follow_trail.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["how does stigmergy work?", "explain stigmergy", "show the stigmergy overview"];
    const ROUTES: &'static [Route] = &Route::family(trace::PATH);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let live = async { Ok(app.store.live().await?) };
        let (shown, live) = futures::try_join!(sense_traces::of_all(app, SHOWN), live)?;
        Ok(Answer {
            ok: true,
            version: registry_app::trails::VERSION,
            medium: "Trails at listings: values that events add to and that decay, and marks that anyone may leave.",
            model: "value * 0.5^(hours / half-life), computed on reading; less than 0.05 counts as 0.",
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
            note: "The author of a mark is only a claim. A source adds to a listing's trail once per period; \
                further marks are shown but do not count.",
        })
    }
}

const SIDE_EFFECTS: [&str; 7] = [
    "Publishing a listing adds to `joined`.",
    "An answered probe adds attraction and reduces danger; a failed probe adds danger.",
    "A demo adds attraction, feedback adds more.",
    "A match adds demand at its five best hits, most at the first; once an hour per caller.",
    "Reading the traces of one listing adds a little demand, once an hour per caller.",
    "Use of a pair adds a little to listings that were used with either of them before.",
    "Deposits of reads are written within seconds by a later request; those still in memory when a process ends are lost.",
];

fn half_lives() -> BTreeMap<&'static str, i64> {
    let values = TrailValue::ALL.into_iter().map(|value| (value.as_str(), value.decay().half_life_hours()));
    values.chain([("mark", Decay::MARK.half_life_hours())]).collect()
}

/// The fixed part; a trace adds half its intensity to it.
fn weight(event: TrailEvent) -> Option<Weight> {
    let amounts = event.amounts();
    let weight = Weight {
        event: event.as_str(),
        attraction: amounts.attraction,
        danger: amounts.danger,
        demand: amounts.demand,
        joined: amounts.joined,
    };
    (amounts != registry_model::Amounts::NONE).then_some(weight)
}

fn endpoints(app: &App) -> Vec<NextStep> {
    let url = app.settings.url(trace::PATH);
    let get = |tool: &'static str, query: &str, arguments: Value, note: &str| {
        NextStep::get(tool, format!("{url}?{query}"), arguments, note)
    };
    vec![
        get("sense_traces", "action=sense&limit=12", json!({ "limit": 12 }), "Read what others left."),
        get("follow_trail", "action=follow&kind=hot", json!({ "kind": "hot" }), "List the hottest listings."),
        NextStep::post_own(
            "leave_trace",
            url.clone(),
            "Send {\"action\": \"leave_trace\", \"listing_id\": …, \"body\": …, \"from\": …}.",
        ),
        NextStep::post_own(
            "endorse",
            url.clone(),
            "Send {\"action\": \"endorse\", \"listing_id\": …, \"from\": …}.",
        ),
        NextStep::post_own(
            "used_with",
            url.clone(),
            "Send {\"action\": \"used_with\", \"listing_id\": …, \"listing_b\": …}.",
        ),
    ]
}
