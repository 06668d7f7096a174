//! Tests `list_yourself`: accepted and refused submissions, and the answers to the publisher.

mod accepted;
mod common_mistakes;
mod name_proofs;
mod names;
mod one_endpoint;
mod publishing_again;
mod rate_limits;
mod refused_fields;
mod refused_urls;
mod server_documents;
mod unreadable_bodies;
mod workflow_tokens;
