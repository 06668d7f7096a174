//! Checks that a caller is the operator. The operator sends the token of the setting `OPERATOR_TOKEN` as a
//! bearer token (RFC 6750). The public API needs no credentials, so no other code reads that header.

use registry_app::App;
use registry_model::error::{Code, Problem};
use registry_model::{BearerDigest, Caller};

pub fn is_sent(app: &App, caller: &Caller) -> bool {
    caller.bearer.is_some_and(|given| is_operator(app, given))
}

fn is_operator(app: &App, given: BearerDigest) -> bool {
    app.settings.operator_token.as_ref().is_some_and(|token| BearerDigest::of(token.reveal()) == given)
}

/// # Errors
/// 401 without a bearer token; 403 if it is not the operator's, or if no token is set.
pub(crate) fn require(app: &App, caller: &Caller) -> Result<(), Problem> {
    let Some(given) = caller.bearer else {
        let detail = "Only the operator of this registry may do this, so nothing was done. It needs the \
                      setting OPERATOR_TOKEN, and its value as bearer token.";
        return Err(Problem::new(Code::OperatorTokenRequired, detail));
    };
    if is_operator(app, given) {
        return Ok(());
    }
    let detail = "This bearer token is not the operator token of this registry.";
    Err(Problem::new(Code::NotTheOperator, detail))
}
