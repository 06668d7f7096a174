//! The call that follows an answer, as a client or a model can send it. One shape for every operation, so that a caller
//! reads it once.

use schemars::JsonSchema;
use serde::Serialize;

/// What to do next.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct NextStep {
    pub action: &'static str,
    pub method: &'static str,
    pub url: String,
    pub note: String,
}
