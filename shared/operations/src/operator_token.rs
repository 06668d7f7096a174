//! What only the operator may ask for by HTTP: with the token of the setting `OPERATOR_TOKEN`, as a bearer token
//! (RFC 6750). The public API needs no credentials, so nothing else looks at that header.

use http::StatusCode;

use registry_app::App;
use registry_model::error::Problem;
use registry_model::{BearerDigest, Caller};

/// Lets the operator through.
///
/// # Errors
/// 401 without a bearer token, 403 with another than the operator's, or where no token is set.
pub(crate) fn require(app: &App, caller: &Caller) -> Result<(), Problem> {
    let Some(given) = caller.bearer else {
        let detail = "Only the operator of this registry may do this: send the header \
            `Authorization: Bearer <operator token>`.";
        return Err(Problem::new(StatusCode::UNAUTHORIZED, "operator_token_required", detail));
    };
    let known = app.settings.operator_token.as_ref().map(|token| BearerDigest::of(token.reveal()));
    if known == Some(given) {
        return Ok(());
    }
    let detail = "This bearer token is not the operator's.";
    Err(Problem::new(StatusCode::FORBIDDEN, "not_the_operator", detail))
}
