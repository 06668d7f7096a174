//! The registry's domain: what an operation does, what a probe proves, what the table remembers.
//! Functions translate between a transport and this crate; every decision is made here, once.

pub mod app;
pub mod ard;
pub mod badge;
pub mod conversation;
pub mod documents;
pub mod error;
pub mod events;
pub mod feed;
pub mod funnel;
pub mod http;
pub mod lambda;
pub mod listing;
pub mod moment;
pub mod operations;
pub mod probe;
pub mod registry_api;
pub mod search;
pub mod settings;
pub mod store;
pub mod trust;

/// The version of this service, carried in every document (contract "Versioning").
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
