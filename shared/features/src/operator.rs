//! Operations that only the operator of the registry can call. Each of them requires the operator's bearer token.

pub mod takedown;
