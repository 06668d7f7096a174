//! Code that the end-to-end tests share: a test registry, an instrumented table, servers to probe, a reader for the template,
//! and a Lambda runtime. Also HTTP endpoints that replace the table and the event bus. Nothing in this crate is deployed.

#![expect(clippy::unwrap_used, reason = "a harness that cannot start fails its test")]

pub mod assertions;
pub mod aws_endpoints;
pub mod chroma;
pub mod fixtures;
pub mod gateway_events;
pub mod instrumented;
pub mod peers;
pub mod ports;
pub mod prelude;
pub mod rights;
pub mod runtime_api;
pub mod sample_events;
pub mod template;
pub mod test_registry;
