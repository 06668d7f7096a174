//! Tests `list_yourself`: accepted and refused submissions, and the answers to the publisher.

mod common_mistakes;
mod name_proofs;
mod names;
mod one_endpoint;
mod publishing_again;
mod rate_limits;
mod refused;
mod server_documents;
mod workflow_tokens;
