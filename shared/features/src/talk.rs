//! The Talk inbox: whether a listing visits it, what a listing should do next, and the operations that read and write it.
//! The messages that the registry writes after a probe are in `registry-probe`.

mod next_action;
pub mod operations;
mod presence;

pub use next_action::{NextAction, next_actions};
pub use presence::{Talk, TalkMode};
