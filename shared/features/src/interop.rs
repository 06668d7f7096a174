//! Interop: how a caller can use listings of different protocols together. The submodules return what a listing can do
//! and which listings fit together. They also build requests that a caller can send as they are, in the protocol in
//! which the listing answered. All values come from stored evidence. No listing is called.

mod call;
mod invocation;
mod node;
pub mod operations;
mod partners;
mod resolve;

pub use call::Call;
pub use invocation::{Adapter, CapabilityRequest, Invocation, adapters};
pub use node::{CapabilityNode, Endpoints};
pub use partners::{Pair, pairs, suggestions};
pub use resolve::{CapabilityQuery, live_in_order, resolve, trail_scores};

use registry_model::{Access, Listed};

/// The listings that a caller can use without a sign-in.
const CALLABLE: Listed = Listed::With(Access::Open);

/// Version of this family (`specification.md#versioning`).
pub const VERSION: &str = "2.7.0";
