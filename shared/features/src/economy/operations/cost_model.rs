//! The cost of one call of each operation. The cost is the number of measured table units, multiplied by the
//! operator's prices. All units are measured, not estimated.

use crate::economy::rounded;
use crate::economy::route_costs::{self, Cost};
use crate::prelude::*;

pub struct CostModel;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Every operation, most expensive first.
    operations: Vec<Cost>,
    /// Operations whose example writes to the table.
    real_marginal_cost: Vec<String>,
    /// Operations whose example only reads the table, does not use it, or is refused.
    near_zero_marginal_cost: Vec<String>,
    prices: PriceList,
    formula: &'static str,
    measured: &'static str,
    law: &'static str,
}

/// Prices in US dollars from the settings.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PriceList {
    usd_per_million_read_units: f64,
    usd_per_million_write_units: f64,
    usd_per_million_requests: f64,
    source: &'static str,
}

impl PriceList {
    pub(super) fn of(settings: &Settings) -> Self {
        let usd = |micro_usd: u32| rounded(f64::from(micro_usd) / 1e6);
        Self {
            usd_per_million_read_units: usd(settings.prices.read_units),
            usd_per_million_write_units: usd(settings.prices.write_units),
            usd_per_million_requests: usd(settings.prices.requests),
            source: "The AWS list prices of us-east-1 (DynamoDB on demand, HTTP API).",
        }
    }
}

pub(super) const FORMULA: &str = "usd_per_million_calls = read_units * usd_per_million_read_units + write_units * \
    usd_per_million_write_units + usd_per_million_requests";

impl Operation for CostModel {
    const NAME: &'static str = "cost_model";
    const TITLE: &'static str = "Cost model";
    const DESCRIPTION: &'static str = "Returns what each operation costs: the table operations, read units \
        and write units of one call, and the price of a million calls. The numbers were measured with an \
        example call on a small registry. Use it to estimate the load of an integration.";
    const PHRASES: &'static [&'static str] =
        &["what does a call cost?", "show the cost model", "what do the operations cost?"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "A million calls cost: [operations]{operation} {usd_per_million_calls} US dollars",
        "{measured} {law}",
    ];
    const FAMILY: Option<Family> = Some(Family::EXONOMICS);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let operations = route_costs::costs(&app.settings.prices)?;
        let names = |writes: bool| {
            let those = operations.iter().filter(|cost| cost.writes() == writes);
            those.map(|cost| cost.operation().to_owned()).collect()
        };
        Ok(Answer {
            real_marginal_cost: names(true),
            near_zero_marginal_cost: names(false),
            operations,
            prices: PriceList::of(&app.settings),
            formula: FORMULA,
            measured: "The cost of the example of each operation. It was run once on a registry with a few \
                Live listings and empty caches. A test fails if a count changes. If `refused` is set, it is \
                the cost of the error. The cost does not include the run time of the function, stored or \
                transferred bytes, and later probes.",
            law: "Reads are free for everyone.",
        })
    }
}
