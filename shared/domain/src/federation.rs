//! Other registries: what they list is shown as referrals, never as listings, because this registry has not probed
//! it. The operator chooses the registries.

mod document;
mod pull;
mod push;
mod referrals;

pub use pull::{pull, pull_due};
pub use push::{Pushed, push};
pub use referrals::{FederationMode, PeerReferral, known_peers, peer_referrals, referrals};
