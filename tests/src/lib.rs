//! Shared parts of the end-to-end tests: a test registry, peers to probe, the template, a Lambda runtime, and HTTP endpoints
//! of the table and the bus. None of it is deployed.

pub mod aws_endpoints;
pub mod fixtures;
pub mod peers;
pub mod runtime_api;
pub mod sample_events;
pub mod template;
pub mod test_registry;
