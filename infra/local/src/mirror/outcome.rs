//! What became of one document. The data is apart from the sender, so that counts and reports do not depend on how a
//! document is sent.

use serde::Serialize;
use serde_json::Value;

/// What becomes of a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// It is listed; the registry says how: `queued`, `duplicate`, `active`. `valid` where nothing was sent.
    Taken(String),
    /// It was not taken.
    Refused(Refusal),
    /// It was not offered, and why.
    Skipped(&'static str),
}

/// Why a document was not taken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Refusal {
    /// The problem's stable name.
    pub(super) code: String,
    /// The member at fault, where there is one.
    pub(super) field: Option<String>,
    /// The problem in words.
    pub(super) detail: String,
    /// Every broken rule, where the registry tells them.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(super) violations: Value,
}

impl Refusal {
    /// Of what is no document at all, and is not sent.
    pub(super) fn unsent(code: &str, detail: String) -> Self {
        Self { code: code.to_owned(), field: None, detail, violations: Value::Null }
    }
}
