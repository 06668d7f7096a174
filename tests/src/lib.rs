//! Shared parts of the end-to-end tests: a test registry, peers to probe, a reader for the template, a Lambda
//! runtime, and HTTP endpoints that stand in for the table and the bus. Nothing in this crate is deployed.

pub mod aws_endpoints;
pub mod fixtures;
pub mod peers;
pub mod runtime_api;
pub mod sample_events;
pub mod template;
pub mod test_registry;
