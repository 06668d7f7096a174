//! Tests the pages for people. They work without scripts, escape every text of a listing, and stay small.

mod board;
mod every_page;
mod guide;
mod hostile_texts;
mod listing;
mod publish_form;
mod status;
