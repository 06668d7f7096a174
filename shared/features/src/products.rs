//! Products: preview, export, verify and run them, payments for them, and statistics of the funnel.

mod lessons;
pub mod operations;
pub mod payments;
mod subject;
