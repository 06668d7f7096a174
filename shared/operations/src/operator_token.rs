//! Checks that a caller is the operator. The operator sends the token of the setting `OPERATOR_TOKEN` as a
//! bearer token (RFC 6750). The public API needs no credentials, so no other code reads that header.

use http::StatusCode;

use registry_app::App;
use registry_model::error::Problem;
use registry_model::{BearerDigest, Caller};

/// # Errors
/// 401 without a bearer token; 403 if it is not the operator's, or if no token is set.
pub(crate) fn require(app: &App, caller: &Caller) -> Result<(), Problem> {
    let Some(given) = caller.bearer else {
        let detail = "Requires the operator token: send the header `Authorization: Bearer <operator token>`.";
        return Err(Problem::new(StatusCode::UNAUTHORIZED, "operator_token_required", detail));
    };
    let expected = app.settings.operator_token.as_ref().map(|token| BearerDigest::of(token.reveal()));
    if expected == Some(given) {
        return Ok(());
    }
    let detail = "This bearer token is not the operator token of this registry.";
    Err(Problem::new(StatusCode::FORBIDDEN, "not_the_operator", detail))
}
