//! A2A messages and tasks: what a message does, and how tasks are stored, listed and canceled. This module does not
//! depend on the version or the transport of A2A, so that every version of the protocol behaves in the same way.

mod id;
mod message;
mod secrets;
mod send;
mod task;
mod tasks;
pub mod v1;

use registry_model::error::Problem;
use registry_store::StoreError;

pub use id::{is_valid_id, new_id};
pub use message::{Content, Message, Part, Role};
pub use send::{Query, QueryResult, SendRequest, Sent, send};
pub use task::{Artifact, Task, TaskContents, TaskState};
pub use tasks::{ListRequest, TaskList, cancel, get, list};

/// Why a request about a message or a task fails. Codes and wording differ between bindings, so the transport adds them.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskError {
    NotFound(String),
    /// The task has ended, or another message is changing it (`state` is `None`).
    NotCancelable {
        id: String,
        state: Option<TaskState>,
    },
    Ended,
    TooManyMessages,
    ContextMismatch,
    /// Another message changed the task at the same time.
    Conflict,
    OnlyFiles,
    InvalidPageToken,
    Internal(Box<Problem>),
}

impl From<Problem> for TaskError {
    fn from(problem: Problem) -> Self {
        Self::Internal(Box::new(problem))
    }
}

impl From<StoreError> for TaskError {
    fn from(error: StoreError) -> Self {
        Problem::from(error).into()
    }
}
