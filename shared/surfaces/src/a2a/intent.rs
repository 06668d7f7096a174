//! Selects the operation that a message requests, and writes the reply. The message is in plain words or
//! contains a data part. The same message always selects the same operation: no text is generated. An operation
//! that writes is never run on a guess.

mod answer;
mod argument_slots;
mod command;
mod content;
mod conversation;
mod examples;
mod execution;
mod explanation;
mod filling;
mod further_request;
mod help;
mod interpretation;
mod lead_in;
mod listing_names;
mod matching;
mod meaning;
mod named_call;
mod parsed_text;
mod reply;
mod request;
mod selection;
mod sentences;
mod suggestion;
mod summary;
#[cfg(test)]
mod tests;
mod topics;
mod words;

pub use answer::answer;
pub use argument_slots::Slot;
pub use content::MessageContent;
pub use conversation::Conversation;
pub use execution::run;
pub use help::{operations as what_can_be_done, text as help_text};
pub use interpretation::Interpretation;
pub use reply::{Outcome, Reply};
pub use request::{Hold, Intent};
pub use suggestion::{filled, template};
