//! What the registry speaks of: listings, what probes make of them, and who asks. Plain data without input or output,
//! so that every other room can use it and none is needed to understand it.

mod assessment;
mod caller;
mod category;
mod check;
mod clock;
mod contact;
mod feed_item;
mod hash_prefix;
mod kind;
mod lane;
mod listing;
mod listing_id;
mod moment;
mod name_proof;
mod obstacle;
mod probe_record;
pub mod protocol;
mod random;
mod reach;
mod score;
mod state_change;
mod transport;
mod verdict;

pub use assessment::Assessment;
pub use caller::{Caller, CallerAddress};
pub use category::Category;
pub use check::Check;
pub use clock::Clock;
pub use contact::Contact;
pub use feed_item::FeedItem;
pub use hash_prefix::{HashPrefix, InvalidHashPrefix, id_hash};
pub use kind::Kind;
pub use lane::Lane;
pub use listing::{LastProbe, Listing};
pub use listing_id::{InvalidListingId, ListingId};
pub use moment::Moment;
pub use name_proof::{NameHold, NameProof, NameProofMethod};
pub use obstacle::Obstacle;
pub use probe_record::ProbeRecord;
pub use random::Random;
pub use reach::Reach;
pub use score::{Score, ScorePart};
pub use state_change::{LiveChange, StateChange};
pub use transport::DeclaredTransport;
pub use verdict::{Facts, Handshake, Reason, Skill, Tool, Verdict};
