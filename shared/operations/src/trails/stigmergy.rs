//! The family of trails in sum: how it works, its half-lives and weights from the code that uses them, and what is there
//! now.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::operation::{Effect, Operation};
use crate::route::Route;
use crate::trails::trace;
use registry_app::App;
use registry_domain::funnel::{self, Deal};
use registry_domain::views::NextStep;
use registry_domain::views::trail::{CompositionRow, MarkRow, TotalsRow, TrailRow};
use registry_model::error::Problem;
use registry_model::{Caller, Decay, ListingId, Moment, Trail, TrailEvent, TrailValue};
use registry_store::Landscape;

/// Rows of each list.
const SHOWN: usize = 8;

/// Tells of the family.
#[derive(Debug)]
pub struct Stigmergy;

/// Nothing is asked for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {}

/// The family.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    medium: &'static str,
    model: &'static str,
    /// In how many hours each value halves.
    half_lives_hours: BTreeMap<&'static str, i64>,
    /// What each event deposits.
    auto_weights: Vec<Weight>,
    /// The tools of the family.
    tools: Vec<&'static str>,
    /// What deposits without being asked to.
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
    /// The calls of the family.
    endpoints: Vec<NextStep>,
    at: Moment,
    note: &'static str,
}

/// What an event deposits.
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
    const TITLE: &'static str = "Trails in sum";
    const DESCRIPTION: &'static str = "Tells how trails work here: half-lives, what each event deposits, the tools; and \
        shows the hottest trails, the newest marks and the strongest compositions.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["how does stigmergy work?", "explain stigmergy", "show the stigmergy overview"];
    const ROUTES: &'static [Route] = &Route::family(trace::PATH);
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, Arguments {}: Arguments) -> Result<Answer, Problem> {
        let now = app.clock.now();
        let (Landscape { hot, marks, found }, live) =
            futures::try_join!(app.store.landscape(SHOWN, now), app.store.live())?;
        let is_there = |id: &ListingId| found.listings.contains_key(id);
        let row = |(id, trail): &(ListingId, Trail)| Some(TrailRow::of(found.listings.get(id)?, trail));
        let marks = marks.into_iter().filter(|mark| is_there(&mark.listing_id));
        let edges = found.edges.iter().filter(|edge| is_there(&edge.listing_a) && is_there(&edge.listing_b));
        Ok(Answer {
            ok: true,
            version: registry_app::trails::VERSION,
            medium: "Trails at listings: values that events deposit and time takes away, and marks that anybody leaves.",
            model: "value * 0.5^(hours / half-life), reckoned when it is read; less than 0.05 counts as nothing.",
            half_lives_hours: half_lives(),
            auto_weights: TrailEvent::ALL.into_iter().filter_map(weight).collect(),
            tools: vec!["leave_trace", "sense_traces", "follow_trail", "endorse", "used_with"],
            auto_side_effects: SIDE_EFFECTS.to_vec(),
            totals: TotalsRow::from(&found.totals),
            hot_trails: hot.iter().filter_map(row).collect(),
            recent_marks: marks.map(|mark| MarkRow::of(mark, now)).collect(),
            compositions: edges.cloned().map(CompositionRow::from).collect(),
            founding_heat: funnel::deal(&app.settings, live.funnel.seats_claimed),
            endpoints: endpoints(app),
            at: now,
            note: "Who leaves a mark is only claimed. One source adds to a listing once in a while; the rest leaves marks.",
        })
    }
}

const SIDE_EFFECTS: [&str; 7] = [
    "A listing that is published joins.",
    "A probe that is answered attracts and relieves danger; one that fails adds danger.",
    "A demo attracts, feedback more.",
    "A match adds demand at its five best hits, and more at the first; once an hour for one caller.",
    "Reading the traces of one listing adds a little demand, once an hour for one caller.",
    "A use together spreads a little to what was used with either before.",
    "Deposits of reads are written within seconds by a later request; what a process holds when it ends is lost.",
];

fn half_lives() -> BTreeMap<&'static str, i64> {
    let values = TrailValue::ALL.into_iter().map(|value| (value.as_str(), value.decay().half_life_hours()));
    values.chain([("mark", Decay::MARK.half_life_hours())]).collect()
}

/// What is always the same; a trace adds half its intensity to this.
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
        get("sense_traces", "action=sense&limit=12", json!({ "limit": 12 }), "Reads what others left."),
        get(
            "follow_trail",
            "action=follow&kind=hot",
            json!({ "kind": "hot" }),
            "Leads to the hottest listings.",
        ),
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
