//! Prices come from two places: the settings (`cost_model` returns them) and `infra/prices.json`. The code
//! contains no prices.

use registry::settings::Prices;
use serde_json::Value;

use crate::Failure;

/// Prices in US dollars, and durations that cannot be measured on one machine.
#[derive(Clone, Debug)]
pub(crate) struct PriceList {
    settings: Prices,
    file: Value,
}

impl PriceList {
    /// Prices of the settings and of the file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn read(settings: Prices) -> Result<Self, Failure> {
        let path = ::tests::template::root().join("infra/prices.json");
        Ok(Self { settings, file: serde_json::from_str(&std::fs::read_to_string(path)?)? })
    }

    /// The date and region of the prices.
    pub(crate) fn date_and_region(&self) -> String {
        let text = |name: &str| self.file[name].as_str().unwrap_or("unknown").to_owned();
        format!("list prices of {} as of {}, to be confirmed", text("region"), text("as_of"))
    }

    /// A price of the file.
    ///
    /// # Errors
    /// The file does not contain it.
    pub(crate) fn usd(&self, name: &str) -> Result<f64, Failure> {
        self.number("usd", name)
    }

    /// A time of the file, in seconds.
    ///
    /// # Errors
    /// The file does not contain it.
    pub(crate) fn seconds(&self, name: &str) -> Result<f64, Failure> {
        Ok(self.number("assumed", name)? / 1000.0)
    }

    /// The price of table units.
    pub(crate) fn units(&self, read: f64, write: f64) -> f64 {
        (read * f64::from(self.settings.read_units) + write * f64::from(self.settings.write_units)) / 1e12
    }

    /// The price of a request to the HTTP API.
    pub(crate) fn request(&self) -> f64 {
        f64::from(self.settings.requests) / 1e12
    }

    /// The price of function calls with this total duration and memory.
    ///
    /// # Errors
    /// The file does not contain a price.
    pub(crate) fn function(&self, calls: f64, seconds: f64, memory_mb: f64) -> Result<f64, Failure> {
        let calls = calls * self.usd("function_million_calls")? / 1e6;
        Ok(calls + seconds * memory_mb / 1024.0 * self.usd("function_gb_second")?)
    }

    fn number(&self, group: &str, name: &str) -> Result<f64, Failure> {
        let number = self.file[group][name].as_f64();
        number.ok_or_else(|| format!("infra/prices.json has no {group}.{name}").into())
    }
}
