//! The lanes that a listing moves through (design §5 Lanes). Only the probe's transitions and an operator move it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a listing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// Not yet probed, or waiting to try again after an inconclusive probe.
    Queued,
    /// Live: its latest judged handshake was `ok` and its checks are clean.
    Active,
    /// The probe was answered `partial`, `fail` or `skip`; the reasons say how to fix it.
    NeedsFix,
    /// Was Active, and failed a confirmed weekly recheck.
    Demoted,
    /// Taken off by its proven owner, or by the operator of the registry, until it is restored.
    Withdrawn,
}

impl Lane {
    /// The word used in keys and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Active => "active",
            Self::NeedsFix => "needs_fix",
            Self::Demoted => "demoted",
            Self::Withdrawn => "withdrawn",
        }
    }
}
