//! A task: the request of a client, its state and its result. It is what a client looks up, continues or cancels after
//! the call that started it.

use serde::{Deserialize, Serialize};

use super::message::{Message, Part};
use super::state::TaskState;
use registry_model::Moment;
use registry_store::Origin;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    pub id: String,
    pub name: String,
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskContents {
    /// Explains the state: a question or a refusal.
    pub message: Option<Message>,
    pub artifacts: Vec<Artifact>,
    /// All earlier messages, the oldest first.
    pub history: Vec<Message>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    pub id: String,
    pub origin: Origin,
    pub caller: String,
    pub context_id: String,
    pub state: TaskState,
    /// When the state last changed.
    pub at: Moment,
    pub contents: TaskContents,
}

impl Task {
    /// Takes the last `length` messages out of the history; all of them without a limit.
    pub fn take_history(&mut self, length: Option<u64>) -> Vec<Message> {
        let mut all = std::mem::take(&mut self.contents.history);
        let length = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(all.len());
        all.split_off(all.len().saturating_sub(length))
    }
}
