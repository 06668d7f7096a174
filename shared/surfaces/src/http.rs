//! What every HTTP function shares: reading arguments, answering problems, request ids, conditional answers.
//! A function's router holds its routes only; [`with_middleware`] puts the same middleware around each.

mod arguments;
mod by_action;
mod caller_limit;
mod json_envelope;
mod middleware;
pub mod rest;

pub use arguments::{Body, Query, RawBody};
pub use json_envelope::JsonEnvelope;
pub use middleware::with_middleware;
