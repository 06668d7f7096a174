//! A broken rule of `server.json`, with its place and a plain message. Violations are kept in the order found, each
//! once, and their number is bounded.

use schemars::JsonSchema;
use serde::Serialize;

/// The most violations reported for one document.
const MOST: usize = 60;

/// One rule that a server description breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Violation {
    /// Where, such as `packages[0].version`; empty for the document as a whole.
    pub path: String,
    /// The official registry's code, such as `invalid-server-name`; `schema` for its JSON schema, `older-schema`
    /// for what earlier schemas called otherwise.
    pub rule: &'static str,
    /// What is wrong and what to write.
    pub message: String,
}

/// A list of violations that stops growing at [`MOST`].
#[derive(Clone, Debug, Default)]
pub(super) struct Violations {
    list: Vec<Violation>,
    /// Places about which nothing more needs to be said.
    settled: Vec<String>,
}

impl Violations {
    /// Adds a violation.
    pub(super) fn note(&mut self, path: impl Into<String>, rule: &'static str, message: impl Into<String>) {
        let (path, message) = (path.into(), message.into());
        let known = |other: &Violation| other.path == path && other.rule == rule && other.message == message;
        if self.list.len() < MOST && !self.list.iter().any(known) {
            self.list.push(Violation { path, rule, message });
        }
    }

    /// Marks a place as explained by a violation elsewhere: "`registryType` is missing" says nothing new beside
    /// "`registry_type` is now `registryType`".
    pub(super) fn settle(&mut self, path: String) {
        if self.settled.len() < MOST {
            self.settled.push(path);
        }
    }

    /// True where something was already said about a place.
    pub(super) fn speaks_of(&self, path: &str) -> bool {
        self.list.iter().any(|violation| violation.path == path)
            || self.settled.iter().any(|known| known == path)
    }

    /// True once nothing more is taken in.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    /// True where no rule is broken.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The violations.
    pub(super) fn into_vec(self) -> Vec<Violation> {
        self.list
    }
}
