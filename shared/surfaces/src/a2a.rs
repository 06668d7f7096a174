//! A2A messages and tasks: what a message does, and how tasks are stored, listed and canceled. This module does not
//! depend on the version or the transport of A2A, so that every version of the protocol behaves in the same way.

mod error;
mod id;
mod message;
mod secrets;
mod send;
mod task;
mod tasks;
pub mod v1;

pub use error::A2aError;
pub use id::{is_valid_id, new_id};
pub use message::{Content, Message, Part, Role};
pub use send::{Query, SendRequest, Sent, send};
pub use task::{Artifact, Task, TaskContents, TaskState};
pub use tasks::{ListRequest, TaskList, cancel, get, list};
