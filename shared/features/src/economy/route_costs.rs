//! What each operation costs. A test runs the example of every operation and measures the table units that the operation uses.
//! The test stores the results in `costs.json`, which is compiled into the program. The prices come from the settings.

use super::rounded;
use crate::prelude::*;
use registry_settings::Prices;

/// What one call of an operation uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasuredCost {
    /// The name of the operation.
    pub operation: String,
    /// Requests to the table.
    pub table_operations: u64,
    /// Read request units. A consistent read uses one unit for each 4 KB. Other reads use half of that.
    pub read_units: f64,
    /// Write request units. A write uses one unit for each 1 KB. In a transaction, it uses two units for each 1 KB.
    pub write_units: f64,
    /// Why the example was refused. The numbers are then the cost of the refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// The cost of an operation, with its price.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Cost {
    #[serde(flatten)]
    measured: MeasuredCost,
    /// The price of a million calls in US dollars, for their units and for the requests.
    usd_per_million_calls: f64,
}

impl Cost {
    pub fn of(measured: MeasuredCost, prices: &Prices) -> Self {
        // Units of one call times the price of a million units are the price of a million calls.
        let micro_usd = measured.read_units * f64::from(prices.read_units)
            + measured.write_units * f64::from(prices.write_units)
            + f64::from(prices.requests);
        Self { measured, usd_per_million_calls: rounded(micro_usd / 1e6) }
    }

    pub fn operation(&self) -> &str {
        &self.measured.operation
    }

    /// The operation and the price of a million calls.
    pub fn into_price(self) -> (String, f64) {
        (self.measured.operation, self.usd_per_million_calls)
    }

    pub fn writes(&self) -> bool {
        self.measured.write_units > 0.0
    }
}

/// The measured costs, in the order of the catalogue.
pub fn measured() -> Result<Vec<MeasuredCost>, serde_json::Error> {
    // What the meter read for every operation's example on a small registry.
    serde_json::from_str(include_str!("costs.json"))
}

/// Every operation with its price, the most expensive first.
pub fn costs(prices: &Prices) -> Result<Vec<Cost>, Problem> {
    let measured = measured().map_err(Problem::fault)?;
    let mut costs: Vec<Cost> = measured.into_iter().map(|one| Cost::of(one, prices)).collect();
    costs.sort_by(|a, b| b.usd_per_million_calls.total_cmp(&a.usd_per_million_calls));
    Ok(costs)
}
