//! Code that every HTTP function uses: arguments, problem documents, request ids and conditional answers. The
//! router of a function contains only routes. [`with_middleware`] adds the same middleware to every router.

mod arguments;
mod by_action;
mod caching;
mod caller_limit;
mod foreign_page;
mod middleware;
pub mod rest;

pub use arguments::{MAX_BODY_BYTES, RawBody};
pub use caching::add_vary;
pub use caller_limit::{CallerBucket, CallerLimit};
pub use middleware::with_middleware;
