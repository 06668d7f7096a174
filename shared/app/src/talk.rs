//! The rules of the Talk inbox: whether a listing visits it, which messages the registry writes, which texts are
//! allowed, and what a listing should do next. The operations read and write the inbox.

mod action;
mod messages;
mod next_action;
mod personal_data;
mod presence;
mod text;

pub use action::TalkAction;
pub use messages::messages;
pub use next_action::{NextAction, next_actions};
pub use personal_data::{has_email_address, has_secret, without_email_addresses, without_personal_data};
pub use presence::{Talk, TalkMode};
pub use text::{public_text, read_text};
