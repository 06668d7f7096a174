//! Overview of exonomics: network value, growth and costs. Each number is returned with its inputs. A
//! separate operation exists for each part.

use crate::economy::cost_model::{self, FORMULA, PriceList};
use crate::economy::get_acceleration::Totals;
use crate::prelude::*;
use registry_domain::economy::cost_model::Cost;
use registry_domain::economy::hyper::Hyper;
use registry_domain::economy::network_value::NetworkValue;
use registry_domain::economy::s_curve::Curve;
use registry_domain::economy::{self, AUTOCATALYSIS_PATH, EXONOMICS_PATH, EXONOMICS_VERSION, abundance};

/// How many of the most expensive operations are shown.
const SHOWN_COSTS: usize = 5;

pub struct GetExonomics;

/// Value, growth and cost of the registry.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    at: Moment,
    model: &'static str,
    cost_model: CostSummary,
    network_value: NetworkValue,
    hyper: Hyper,
    s_curves: Vec<Curve>,
    abundance: Abundance,
    acceleration_index: f64,
    totals: Totals,
    /// The time of the latest hourly sample. Null before the first sample.
    sampled_at: Option<Moment>,
    endpoints: Endpoints,
    /// The economy tools.
    tools: Vec<&'static str>,
    laws: Vec<&'static str>,
}

/// A summary of the costs.
#[derive(Debug, Serialize, JsonSchema)]
struct CostSummary {
    /// Number of measured operations.
    operations: usize,
    /// Number of operations that write to the table.
    writing: usize,
    /// The most expensive operations.
    dearest: Vec<Cost>,
    prices: PriceList,
    formula: &'static str,
}

/// How `abundance_rank` works.
#[derive(Debug, Serialize, JsonSchema)]
struct Abundance {
    formula: &'static str,
    /// The maximum of the trail boost.
    most_trail_boost: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Endpoints {
    overview: String,
    cost_model: String,
    value: String,
    hyper: String,
    s_curves: String,
    abundance_rank: String,
    zero_mc_pack: String,
    multipliers: String,
    budget: String,
    autocatalysis: String,
}

const TOOLS: [&str; 7] = [
    "get_exonomics",
    "network_value",
    "hyper_index",
    "cost_model",
    "abundance_rank",
    "zero_mc_pack",
    "s_curve_board",
];

const LAWS: [&str; 4] = [
    "Costs are measured at the table. They are never estimated.",
    "Every number is returned with the inputs from which it was computed.",
    "Use the network value to compare two states of this registry. It is not an amount of money.",
    "Reads are free for everyone. Writes are limited.",
];

impl Operation for GetExonomics {
    const NAME: &'static str = "get_exonomics";
    const ALIASES: &'static [&'static str] = &["exonomics"];
    const TITLE: &'static str = "Value and cost of the registry";
    const VERSION: Option<&'static str> = Some(EXONOMICS_VERSION);
    const DESCRIPTION: &'static str = "Returns an overview of the value and cost of this registry: the \
        network value, the change of the activity index, growth curves, the most expensive operations, \
        totals and endpoints. Use it first, to choose the right economy tool.";
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "The network value is {network_value.value}, the acceleration index {acceleration_index} and the hyper index {hyper.hyper_index}.",
        "There are {totals.listings} listings, {totals.outcomes} outcomes and {totals.demos} demos. Of {cost_model.operations} operations, {cost_model.writing} write.",
    ];
    const ROUTES: &'static [Route] = &Route::family(EXONOMICS_PATH);
    const ACTIONS: &'static [Action] = &[Action { path: EXONOMICS_PATH, names: &["status"] }];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let (measured, heat) = futures::try_join!(economy::measure(app), economy::trail_heat(app))?;
        let settings = &app.settings;
        let mut costs = cost_model::costs(settings)?;
        let (operations, writing) = (costs.len(), costs.iter().filter(|cost| cost.writes()).count());
        costs.truncate(SHOWN_COSTS);
        let action = |name: &str| settings.url(&format!("{EXONOMICS_PATH}?action={name}"));
        Ok(Answer {
            at: measured.at,
            model: "Three things make a network more valuable: its listings, their use together, and \
                reported outcomes. Reads cost almost nothing.",
            cost_model: CostSummary {
                operations,
                writing,
                dearest: costs,
                prices: PriceList::of(settings),
                formula: FORMULA,
            },
            network_value: measured.network().valued(),
            hyper: measured.hyper(heat),
            s_curves: measured.curves(),
            abundance: Abundance {
                formula: abundance::FORMULA,
                most_trail_boost: abundance::MAX_TRAIL_BOOST,
            },
            acceleration_index: measured.acceleration.index,
            totals: Totals::of(&measured),
            sampled_at: measured.sampled_at(),
            endpoints: Endpoints {
                overview: settings.url(EXONOMICS_PATH),
                cost_model: action("cost_model"),
                value: action("value"),
                hyper: action("hyper"),
                s_curves: action("s_curves"),
                abundance_rank: action("abundance_rank&listing_id=<listing_id>"),
                zero_mc_pack: action("zero_mc_pack"),
                multipliers: action("multipliers"),
                budget: action("budget"),
                autocatalysis: settings.url(AUTOCATALYSIS_PATH),
            },
            tools: TOOLS.into(),
            laws: LAWS.into(),
        })
    }
}
