//! Listings: their rows, offers, badges and liveness, how they are found and checked, and what changed about them.

pub mod active_page;
pub mod badge;
pub mod change_feed;
mod liveness;
mod namespace;
mod offers;
pub mod operations;
mod peer;
mod registry;
pub mod row;
pub mod server_entry;
pub mod tools;
mod urls;
pub mod urn;

pub use liveness::{Liveness, LivenessState, is_clean};
pub use namespace::Namespace;
pub use peer::Peer;
pub use registry::{OWN_DESCRIPTION, OwnServerDescription, ProductEntry, tagline};
pub use row::{NameStanding, ProbeSummary, Row, Standing, hours};
pub use server_entry::{Server, ServerEvidence, ServerResponse};
pub use urls::{call_url, demo_url, status_url};
