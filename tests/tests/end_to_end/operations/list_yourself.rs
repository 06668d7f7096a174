//! `list_yourself`: what is taken, what is refused, and what its publisher is told.

mod accepted;
mod common_mistakes;
mod name_proofs;
mod names;
mod publishing_again;
mod rate_limits;
mod refusals;
mod refused_fields;
mod refused_server_json;
mod refused_urls;
mod unreadable_bodies;
