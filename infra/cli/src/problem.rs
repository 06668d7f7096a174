//! What can go wrong, and what a person can do about it.

use serde_json::Value;

use crate::Exit;

#[derive(Debug)]
pub(crate) enum Failure {
    /// The registry refused the request: its problem document.
    Refused(Value),
    /// The registry, or a directory, cannot be reached or failed.
    Unreachable(String),
    /// A file cannot be used.
    File(String),
}

impl Failure {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Refused(_) | Self::File(_) => Exit::NeedsFix,
            Self::Unreachable(_) => Exit::Unreachable,
        }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Self::Refused(problem) => {
                let detail = problem["detail"].as_str().unwrap_or("The registry refused the request.");
                let next =
                    problem["next"]["note"].as_str().map(|note| format!(" {note}")).unwrap_or_default();
                format!("{detail}{next}")
            }
            Self::Unreachable(text) | Self::File(text) => text.clone(),
        }
    }
}
