//! The REST API, and what every HTTP function uses: bodies, parameters, problem documents, request ids and conditional
//! answers. A function lists the operations and documents that it serves, and [`operations`] and [`documents`] turn them
//! into routes. [`with_middleware`] adds the same middleware to every router.

mod admission;
mod form;
mod middleware;
mod payment_webhook;
mod request;
mod routes;

pub use crate::errors::{Refused, problem_document};
pub use admission::{CallerBucket, CallerLimit};
pub use form::with_forms;
pub(crate) use middleware::add_vary;
pub use middleware::with_middleware;
pub use payment_webhook::payment_webhook;
pub use request::{CalledBy, MAX_BODY_BYTES, RawBody};
pub(crate) use request::{accepted_types, has_version};
pub(crate) use routes::{conditional_response, json_response};
pub use routes::{documents, operations};
