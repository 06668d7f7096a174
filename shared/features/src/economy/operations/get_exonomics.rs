//! Overview of exonomics: network value, growth and costs. Each number is returned with its inputs. A
//! separate operation exists for each part.

use super::cost_model::{FORMULA, PriceList};
use crate::economy::hyper::Hyper;
use crate::economy::metcalfe::NetworkValue;
use crate::economy::route_costs::{self, Cost};
use crate::economy::s_curve::Curve;
use crate::economy::{EXONOMICS_PATH, EXONOMICS_VERSION, Gauges};
use crate::prelude::*;
use registry_model::EconomyTotals;

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
    acceleration_index: f64,
    totals: EconomyTotals,
    /// The time of the latest hourly sample. Null before the first sample.
    sampled_at: Option<Moment>,
    tools: Vec<&'static str>,
    laws: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CostSummary {
    /// Number of measured operations.
    operations: usize,
    /// Number of operations whose example writes to the table.
    writing: usize,
    /// The most expensive operations.
    dearest: Vec<Cost>,
    prices: PriceList,
    formula: &'static str,
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
    "The network value, the hyper index, growth curves and costs are returned with their inputs.",
    "Use the network value to compare two states of this registry. It is not an amount of money.",
    "Reads are free for everyone.",
];

impl Operation for GetExonomics {
    const NAME: &'static str = "get_exonomics";
    const ALIASES: &'static [&'static str] = &["exonomics"];
    const TITLE: &'static str = "Value and cost of the registry";
    const VERSION: Option<&'static str> = Some(EXONOMICS_VERSION);
    const DESCRIPTION: &'static str = "Returns an overview of the value and cost of this registry: the \
        network value, the change of the activity index, growth curves, the most expensive operations \
        and totals. Use it first, to choose the right economy tool.";
    const PHRASES: &'static [&'static str] = &[
        "what are the value and cost of the registry?",
        "show the exonomics",
        "how do the exonomics stand?",
        "explain the exonomics",
    ];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "The network value is {network_value.value}, the acceleration index {acceleration_index} and the hyper index {hyper.hyper_index}.",
        "Now: {totals.listings#Live listing}. So far: {totals.outcomes#outcome} and {totals.demos#demo}. Of {cost_model.operations} measured operations, {cost_model.writing} wrote.",
    ];
    const ROUTES: &'static [Route] = &Route::family(EXONOMICS_PATH);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let gauges = Gauges::read(app).await?;
        let settings = &app.settings;
        let mut costs = route_costs::costs(&settings.prices)?;
        let (operations, writing) = (costs.len(), costs.iter().filter(|cost| cost.writes()).count());
        costs.truncate(5);
        Ok(Answer {
            at: gauges.at,
            model: "Four things make a network more valuable: its listings, their use together, reported outcomes, and \
                federation peers. Reads cost almost nothing.",
            cost_model: CostSummary {
                operations,
                writing,
                dearest: costs,
                prices: PriceList::of(settings),
                formula: FORMULA,
            },
            network_value: gauges.network().valued(),
            hyper: gauges.hyper(),
            s_curves: gauges.curves(),
            acceleration_index: gauges.acceleration.index,
            totals: gauges.totals,
            sampled_at: gauges.sampled_at(),
            tools: TOOLS.into(),
            laws: LAWS.into(),
        })
    }
}
