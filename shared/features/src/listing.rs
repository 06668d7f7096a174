//! Listings: their rows, offers, badges and liveness, how they are found and checked, and what changed about them.

pub mod active_page;
pub mod badge;
pub mod change_feed;
mod liveness;
mod namespace;
pub mod operations;
mod registry;
pub mod row;
pub mod server_entry;
pub mod tools;
mod urls;

pub use liveness::{Liveness, LivenessState, is_clean};
pub use namespace::Namespace;
pub use registry::{OWN_DESCRIPTION, OwnServerDescription, ProductEntry, tagline};
pub use row::{NameStanding, Peer, ProbeSummary, Row, Standing, hours};
pub use server_entry::{Server, ServerEvidence, ServerResponse};
pub use urls::{call_url, card_media_type, demo_url, listing_urn, status_url, urn_publisher};
