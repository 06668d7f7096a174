//! Federation: this registry reads the entries of other registries. The operator chooses these registries.
//! Their entries are shown as referrals and never as listings, because this registry has not probed them.

mod document;
pub mod dump;
pub mod imports;
pub mod operations;
mod pull;
mod referrals;

pub use pull::{pull, pull_due};
pub use referrals::{FederationMode, PeerReferral, known_peers, peer_referrals, referrals};
