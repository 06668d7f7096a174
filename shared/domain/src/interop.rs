//! How listings of different protocols work together: what each listing can do, a ready request in the
//! protocol in which the listing answered, and which listings fit together. All values come from stored
//! evidence; no listing is called.

mod call;
mod invocation;
mod node;
mod partners;
mod resolve;

pub use call::Call;
pub use invocation::{Adapter, CapabilityRequest, Invocation, adapters};
pub use node::{CapabilityNode, Endpoints};
pub use partners::{Pair, pairs, suggestions};
pub use resolve::{CapabilityQuery, live_in_order, resolve, trail_scores};

/// Version of this family (`specification.md#versioning`).
pub const VERSION: &str = "2.7.0";
