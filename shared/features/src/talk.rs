//! The rules of the Talk inbox: whether a listing visits it, which messages the registry writes, which texts are
//! allowed, and what a listing should do next. The operations read and write the inbox.

mod next_action;
pub mod operations;
mod presence;

pub use next_action::{NextAction, next_actions};
pub use presence::{Talk, TalkMode};
