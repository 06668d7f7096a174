//! Tests the pages for people. They work without scripts, show every text of a listing as plain text, and stay small.

mod board;
mod every_page;
mod guide;
mod listing;
mod prove;
mod status;
