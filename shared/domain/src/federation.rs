//! Other registries: what they list is read and told as referrals, never as listings, because nobody here asked those that
//! they name. Which registries are asked is the operator's choice.

mod document;
mod pull;
mod push;
mod referrals;

pub use pull::{pull, pull_due};
pub use push::{Pushed, push};
pub use referrals::{FederationMode, PeerReferral, known_peers, peer_referrals, referrals};
