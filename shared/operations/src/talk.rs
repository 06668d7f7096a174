//! Operations on Talk: read the inbox of a listing, and write to it.

pub mod message;
pub mod talk_inbox;
