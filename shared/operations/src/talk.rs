//! Operations of the family "talk".

pub mod message;
pub mod talk_inbox;
