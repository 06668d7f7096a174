//! What became of one document. The data is apart from the sender, so that counts and reports do not depend on how a
//! document is sent.

use serde::Serialize;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// The status that the registry answered: `queued`, `duplicate`, `active`; `valid` in a dry run.
    Taken(String),
    /// The registry, or the parser before it, refused the document.
    Refused(Refusal),
    /// It was not sent, and why.
    Skipped(&'static str),
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Refusal {
    /// The problem's stable name.
    pub(super) code: String,
    /// The member at fault, where there is one.
    pub(super) field: Option<String>,
    /// The problem in words.
    pub(super) detail: String,
    /// Every violated rule, where the registry lists them.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(super) violations: Value,
}

impl Refusal {
    /// For an entry that is not a document and so is not sent.
    pub(super) fn unsent(code: &str, detail: String) -> Self {
        Self { code: code.to_owned(), field: None, detail, violations: Value::Null }
    }
}
