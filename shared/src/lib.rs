//! The registry's domain: what an operation does, what a probe proves, what the table remembers. Functions translate
//! between a transport and this crate; every decision is made here, once.
//!
//! The rooms stand in floors, the ground first. A room uses those of the floors below it, and none of its own floor:
//! `tests/architecture` reads the imports and fails on any other.

pub mod cache;
pub mod error;
pub mod json;
pub mod model;

pub mod events;
pub mod fetch;
pub mod formats;
pub mod metrics;
pub mod settings;

pub mod store;

pub mod products;
pub mod search;
pub mod trails;

pub mod app;

pub mod domain_keys;
pub mod takedown;
pub mod talk;

pub mod funnel;
pub mod probe;
pub mod publish;
pub mod trust;

pub mod economy;
pub mod evidence_log;

pub mod outreach;
pub mod payments;

pub mod views;

pub mod federation;
pub mod interop;

pub mod operations;

pub mod ard;
pub mod intent;
pub mod registry_api;

pub mod a2a;
pub mod documents;

pub mod pages;

pub mod discovery;

pub mod openapi;

pub mod http;

#[cfg(feature = "lambda")]
pub mod lambda;

/// The version of this service, carried in every document (contract "Versioning").
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
