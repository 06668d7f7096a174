//! How fast the registry grows, what that scales, and what its operations cost: autocatalysis and exonomics. Arithmetic
//! over what the table counted; every number is given with what it was computed from.

pub mod abundance;
pub mod acceleration;
mod boosts;
pub mod cost_model;
pub mod hyper;
mod measured;
pub mod multipliers;
pub mod network_value;
pub mod phase;
mod round;
pub mod s_curve;

pub use acceleration::{Acceleration, Contribution};
pub use boosts::{Boosts, boosts};
pub use measured::{Measured, Pace, acceleration, day_budget_multiplier, measure, take_sample, trail_heat};
pub use multipliers::Multipliers;
pub use round::rounded;

/// Version of the autocatalysis family (contract "Versioning").
pub const AUTOCATALYSIS_VERSION: &str = "2.5.0";
/// Version of the exonomics family (contract "Versioning").
pub const EXONOMICS_VERSION: &str = "2.8.0";
pub const AUTOCATALYSIS_PATH: &str = "/api/products/autocatalysis";
pub const EXONOMICS_PATH: &str = "/api/products/exonomics";
