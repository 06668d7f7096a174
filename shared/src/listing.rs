//! Listings: what a publisher hands in, how it is named, and how the registry shows it.
//! The operations on them stand in `operations`; here are the rules those share.

mod category;
pub mod envelope;
mod id;
mod kind;
pub mod own;
pub mod page;
mod record;
pub mod registry_name;
pub mod row;
pub mod submission;

pub use category::Category;
pub use id::{InvalidListingId, ListingId};
pub use kind::{Kind, Lane};
pub use record::{LastProbe, Listing};
