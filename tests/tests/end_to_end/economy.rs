//! Tests the economy operations: their numbers come from measurements and are the same over every protocol.

mod budget;
mod costs;
mod numbers;
mod samples;
