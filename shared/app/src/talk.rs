//! The Talk inbox: whether a listing is present there, what the registry tells it, what a text may say, and what to do
//! next. Rules over plain data; the operations read and write the inbox, and a probe's messages are part of its change.

mod action;
mod messages;
mod next_action;
mod personal_data;
mod presence;
mod text;

pub use action::TalkAction;
pub use messages::messages;
pub use next_action::{NextAction, next_actions};
pub use presence::{Talk, TalkMode};
pub use text::{public_text, read_text};
