//! A broken rule of `server.json`, with its place and a plain message. Violations are listed in the order in
//! which they were found, without duplicates. Their number is limited.

use registry_model::error::shorten;
use schemars::JsonSchema;
use serde::Serialize;

/// Violations reported for one document, at most.
const MAX_VIOLATIONS: usize = 60;

/// One rule that a server description breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Violation {
    /// Where, such as `packages[0].version`; empty for the document as a whole.
    pub path: String,
    /// The official registry's code, such as `invalid-server-name`; `schema` for its JSON schema, `older-schema`
    /// for what earlier schemas called otherwise; `not_plain_text` and `instruction_to_models` for texts that this
    /// registry does not show; `name_of_another` for a title in the form of another server name.
    pub rule: &'static str,
    /// What is wrong and what to write.
    pub message: String,
}

/// A list of violations that stops growing at [`MAX_VIOLATIONS`].
#[derive(Clone, Debug, Default)]
pub(super) struct Violations {
    list: Vec<Violation>,
    /// Places that a violation elsewhere explains.
    suppressed: Vec<String>,
}

impl Violations {
    pub(super) fn add(&mut self, path: impl Into<String>, rule: &'static str, message: impl Into<String>) {
        // A path contains the names of the document's own members.
        let (path, message) = (shorten(&path.into(), 300), message.into());
        let same = |other: &Violation| other.path == path && other.rule == rule && other.message == message;
        if self.list.len() < MAX_VIOLATIONS && !self.list.iter().any(same) {
            self.list.push(Violation { path, rule, message });
        }
    }

    /// Marks a place as explained by a violation elsewhere: "`registryType` is missing" adds nothing to
    /// "`registry_type` is now `registryType`".
    pub(super) fn suppress(&mut self, path: String) {
        if self.suppressed.len() < MAX_VIOLATIONS {
            self.suppressed.push(path);
        }
    }

    /// True where a violation names or explains the place.
    pub(super) fn covers(&self, path: &str) -> bool {
        self.list.iter().any(|violation| violation.path == path)
            || self.suppressed.iter().any(|known| known == path)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn into_vec(self) -> Vec<Violation> {
        self.list
    }
}
