//! A task: the request of a client, its state and its result. It is what a client looks up, continues or cancels after
//! the call that started it.

use serde::{Deserialize, Serialize};

use super::message::{Message, Part};
use super::state::TaskState;
use registry_model::Moment;
use registry_store::Origin;

/// The result of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its id.
    pub id: String,
    /// The operation that made it.
    pub name: String,
    /// The result as text and as data.
    pub parts: Vec<Part>,
}

/// What a task holds that the store need not read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskContents {
    /// The message that explains the state: a question or a refusal.
    pub message: Option<Message>,
    /// The results.
    pub artifacts: Vec<Artifact>,
    /// All earlier messages, the oldest first.
    pub history: Vec<Message>,
}

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// Whether the client or this registry chose the id.
    pub origin: Origin,
    /// The client that started it.
    pub caller: String,
    /// The conversation it belongs to.
    pub context_id: String,
    /// Its state.
    pub state: TaskState,
    /// The time of the last change of its state.
    pub at: Moment,
    /// Its messages and results.
    pub contents: TaskContents,
}

impl Task {
    /// Takes the last `length` messages out of the history; all of them where there is no limit.
    pub fn take_history(&mut self, length: Option<u64>) -> Vec<Message> {
        let mut all = std::mem::take(&mut self.contents.history);
        let length = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(all.len());
        all.split_off(all.len().saturating_sub(length))
    }
}
