//! A2A messages and tasks: what a message does, and how the tasks that it starts are stored, listed and canceled.
//! It knows no dialect and no binding, so that every version of the protocol gets the same behaviour.

mod abridge;
mod error;
mod id;
mod message;
pub mod page_token;
mod query;
mod secrets;
mod send;
mod state;
mod storage;
mod task;
mod tasks;

pub use error::TaskError;
pub use id::{is_valid_id, new_id};
pub use message::{Content, Message, Part, Role};
pub use query::{Query, QueryResult};
pub use send::{SendRequest, Sent, send};
pub use state::TaskState;
pub use task::{Artifact, Task, TaskContents};
pub use tasks::{ListRequest, TaskList, cancel, get, list};
