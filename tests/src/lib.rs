//! What the end-to-end tests share: the template, a Lambda runtime, the table and the bus as a process reaches them.
//! Nothing of it is in a deployment.

pub mod aws_endpoints;
pub mod runtime_api;
pub mod template;
