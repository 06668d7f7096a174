//! The operations of Talk.

pub mod message;
pub mod talk_inbox;

crate::operation::operations! {
    TALK_INBOX in "talk" = talk_inbox::TalkInbox,
    TALK in "talk" = message::Talk,
}
