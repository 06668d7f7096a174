//! How listings of different protocols work together: what each can do, a ready call in the protocol that it proved,
//! and which listings fit together. All of it comes from stored evidence; no listing is called.

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
