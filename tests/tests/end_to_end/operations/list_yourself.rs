//! `list_yourself`: what is taken, what is refused, and what its publisher is told.

mod common_mistakes;
mod publishing_again;
mod rate_limits;
mod refused_server_json;
mod refused_submissions;
mod unreadable_bodies;
