//! Operations on products: preview, export, verify, run and buy them. Others return statistics of the funnel.

mod lessons;
pub mod operations;
pub mod payments;
mod subject;
