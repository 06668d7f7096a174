//! Operations on products: preview, export, verify, run and buy them. Others return statistics of the funnel.

pub mod checkout;
pub mod export_product;
pub mod get_learning;
pub mod improvement_log;
mod lessons;
pub mod payments;
pub mod preview_product;
pub mod product_agent;
pub mod run_product;
mod subject;
pub mod verify_product;
