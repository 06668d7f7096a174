//! The refusal of a parameter that cannot be read: 400 where the rest of this registry says 422, because clients of the
//! official API are told so in its prose.

use http::StatusCode;

use registry_model::error::Problem;

/// For a cursor and for a time.
pub(super) fn malformed(field: &str, code: &'static str, detail: String) -> Problem {
    let mut problem = Problem::invalid(field, code, detail);
    problem.status = StatusCode::BAD_REQUEST;
    problem
}
