//! Why a message or a request for a task fails. Error codes and wording differ between bindings, so they are left to
//! the transport.

use super::state::TaskState;
use registry_model::error::Problem;
use registry_store::StoreError;

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
