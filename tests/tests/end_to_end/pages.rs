//! The pages for people: whole without a script, harmless whatever a listing says, and small.

mod board;
mod every_page;
mod guide;
mod hostile_texts;
mod listing;
mod publish_form;
mod status;
