//! The REST API, and what every HTTP function uses: bodies, parameters, problem documents, request ids and conditional
//! answers. A function lists the operations and documents that it serves, and [`operations`] and [`documents`] turn them
//! into routes. [`with_middleware`] adds the same middleware to every router.

mod body;
mod by_action;
mod caching;
mod caller_limit;
mod foreign_page;
mod form;
pub(crate) mod media_type;
mod middleware;
mod parameters;
mod payment_webhook;
mod routes;

pub use body::{MAX_BODY_BYTES, RawBody};
pub(crate) use caching::add_vary;
pub use caller_limit::{CallerBucket, CallerLimit};
pub use form::with_forms;
pub use middleware::with_middleware;
pub(crate) use parameters::Parameters;
pub use payment_webhook::payment_webhook;
pub(crate) use routes::{conditional_response, json_response};
pub use routes::{documents, operations, paths};
