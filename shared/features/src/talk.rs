//! The rules of the Talk inbox: whether a listing visits it, which messages the registry writes, which texts are
//! allowed, and what a listing should do next. The operations read and write the inbox.

mod action;
pub mod message;
mod next_action;
mod presence;
pub mod talk_inbox;

pub use action::TalkAction;
pub use next_action::{NextAction, next_actions};
pub use presence::{Talk, TalkMode};

crate::operation::operations! {
    TALK_INBOX in "talk" = talk_inbox::TalkInbox,
    TALK in "talk" = message::Talk,
}
