//! What every HTTP function shares: reading arguments, answering problems, request ids, conditional answers.
//! A function's router holds its routes only; [`finish`] puts the same walls around each.

mod arguments;
mod caller;
mod json_envelope;
mod layers;
pub mod rest;

pub use arguments::{Body, Query, RawBody};
pub use json_envelope::JsonEnvelope;
pub use layers::finish;
