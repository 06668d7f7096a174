//! How listings of different protocols work together: what each can do, a call of it that is ready to be sent in the
//! protocol that it proved, and who goes well with whom. From stored evidence alone: nobody is asked.

mod call;
mod invocation;
mod node;
mod partners;
mod resolve;
mod trail_scores;

pub use call::Call;
pub use invocation::{Adapter, Invocation, Wish, adapters};
pub use node::{CapabilityNode, Endpoints};
pub use partners::{Pair, pairs, suggestions};
pub use resolve::{Wanted, live_in_order, resolve};
pub use trail_scores::trail_scores;

/// Version of this family (contract "Versioning").
pub const VERSION: &str = "2.7.0";
