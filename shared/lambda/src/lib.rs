//! Runs a function on AWS Lambda. [`serve`] runs an HTTP function with its router, and [`run_job`] runs the
//! job of a scheduled function. A function that searches loads the search index before its first event
//! ([`Preload`]). The `main.rs` of every function is one call to this crate, so that AWS runs the same code as a
//! single machine. This crate depends on `registry-app` and the crates below it. The
//! module `aws` makes the AWS clients, and `events` translates requests and responses of the HTTP API.
//!
//! Without the feature `aws`, only `events` remains: the tests send events to the functions and need no AWS clients.

#[cfg(feature = "aws")]
mod aws;
pub mod events;
#[cfg(feature = "aws")]
pub mod kms;
#[cfg(feature = "aws")]
mod runtime;
#[cfg(feature = "aws")]
mod secrets;

#[cfg(feature = "aws")]
pub use aws::StartError;
#[cfg(feature = "aws")]
pub use runtime::{Error, Preload, run_job, serve};
