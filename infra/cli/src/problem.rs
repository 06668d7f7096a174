//! What can go wrong, and what a person can do about it.

use serde_json::Value;

use crate::Exit;

#[derive(Debug)]
pub(crate) enum Failure {
    /// The registry refused the request: its problem document.
    Refused(Value),
    /// The registry, or a directory, cannot be reached or failed.
    Unreachable(String),
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
                let next = ["url", "note"].into_iter().filter_map(|name| problem["next"][name].as_str());
                [detail].into_iter().chain(next).collect::<Vec<_>>().join(" ")
            }
            Self::Unreachable(text) | Self::File(text) => text.clone(),
        }
    }
}
