//! How a fault counts: which handshake it amounts to, and whether an early retry may end otherwise.
//! Five classes cover the table, so that no row invents a sixth combination.

use registry_model::Handshake;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// As named in the contract.
    pub handshake: Handshake,
    /// The fault may be temporary: try again early.
    pub inconclusive: bool,
}

pub(super) const FAIL: Class = Class { handshake: Handshake::Fail, inconclusive: false };
pub(super) const UNKNOWN: Class = Class { handshake: Handshake::Fail, inconclusive: true };
pub(super) const PARTIAL: Class = Class { handshake: Handshake::Partial, inconclusive: false };
pub(super) const LATER: Class = Class { handshake: Handshake::Partial, inconclusive: true };
pub(super) const SKIP: Class = Class { handshake: Handshake::Skip, inconclusive: false };
