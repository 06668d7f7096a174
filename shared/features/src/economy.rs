//! The economy of the registry. Two groups of operations use this module. "Autocatalysis" shows the recent activity and
//! what depends on it. "Exonomics" shows the value of the registry and the costs of its operations. [`Gauges`] contains
//! all measured values; each operation shows a part of them. Every number is returned together with its inputs.

pub mod acceleration;
mod gauges;
pub mod hyper;
pub mod metcalfe;
pub mod operations;
pub mod route_costs;
pub mod s_curve;

pub use acceleration::{Acceleration, Boost, Boosts, Contribution, Multipliers, boosts};
pub use gauges::{Gauges, acceleration, take_sample};

/// Version of the autocatalysis family (`specification.md#versioning`).
pub const AUTOCATALYSIS_VERSION: &str = "2.5.0";
/// Version of the exonomics family (`specification.md#versioning`).
pub const EXONOMICS_VERSION: &str = "2.8.0";
pub const AUTOCATALYSIS_PATH: &str = "/api/products/autocatalysis";
pub const EXONOMICS_PATH: &str = "/api/products/exonomics";

/// Rounds to six decimals, which hides floating point noise.
pub fn rounded(number: f64) -> f64 {
    const SCALE: f64 = 1e6;
    let scaled = number * SCALE;
    if scaled.is_finite() { scaled.round() / SCALE } else { number }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn numbers_are_rounded_to_six_decimals() {
        assert_eq!([0.1 + 0.2, 2.000_000_4, -1.234_567_8].map(rounded), [0.3, 2.0, -1.234_568]);
        assert_eq!(rounded(1e300), 1e300, "too large to have decimals");
    }
}
