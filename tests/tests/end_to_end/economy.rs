//! The economy operations: their numbers follow from measurements and are the same over every protocol.

mod budget;
mod costs;
mod numbers;
mod samples;
