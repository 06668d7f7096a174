//! Why a message or a request for a task fails. Error codes and wording differ between bindings, so they are left to
//! the transport.

use super::state::TaskState;
use registry_model::error::Problem;
use registry_store::StoreError;

/// A refusal, or a failure of the store.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskError {
    /// The caller has no task with this id.
    NotFound(String),
    /// The task has already ended, or changed while it was being canceled.
    NotCancelable {
        /// The id of the task.
        id: String,
        /// Its final state; none where another message is changing it.
        state: Option<TaskState>,
    },
    /// The task of the message has already ended.
    Ended,
    /// The task has as many messages as one task may have.
    TooManyMessages,
    /// The message names a context that is not the one of its task.
    ContextMismatch,
    /// Another message changed the task at the same time.
    Conflict,
    /// The message holds nothing but files.
    OnlyFiles,
    /// The page token was not issued by this registry.
    InvalidPageToken,
    /// The store or the operation failed, or as many tasks were stored as an hour allows.
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
