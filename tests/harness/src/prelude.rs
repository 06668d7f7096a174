//! What nearly every end-to-end test uses, for `use tests::prelude::*;`.

pub use registry::model::{Kind, ListingId};
pub use serde_json::{Value, json};

pub use crate::assertions::{assert_contains, assert_members, with_members};
pub use crate::instrumented::Fault;
pub use crate::peers::{CARD, Peer, PeerRequest, agents, empty, json_answer, servers};
pub use crate::test_registry::{DAY, HOUR, Reply, TICK, TestOptions, TestRegistry, id_of};
