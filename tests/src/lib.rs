//! What the end-to-end tests share: a registry to test, peers to be probed, the template, a Lambda runtime, the table
//! and the bus as a process reaches them. Nothing of it is in a deployment.

pub mod aws_endpoints;
pub mod fixtures;
pub mod peers;
pub mod runtime_api;
pub mod sample_events;
pub mod template;
pub mod test_registry;
