//! Statements that the registry signs about listings: their types, their ids, and what is kept of each so that it can be
//! counted and revoked.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListingId, Moment, PublicReason, Random};

/// What a statement is about. Each is made of facts that the registry observed itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttestationType {
    /// Whether it is Live with clean checks, check by check, by its last probe.
    ProbeClean,
    /// When it last answered a handshake, and whether that counts as Live.
    Liveness,
    /// The hash of what it says it can do, as its card or its tools said at the last probe.
    Capability,
    /// What it gives back, by what the registry saw.
    Reciprocity,
    /// Which key its domain made known, and when that key signed a challenge.
    IdentityBind,
    /// How often it was used together with another listing, as far as the registry was told.
    Composition,
    /// How its uses went, as far as the registry was told.
    Outcome,
}

impl AttestationType {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::ProbeClean,
        Self::Liveness,
        Self::Capability,
        Self::Reciprocity,
        Self::IdentityBind,
        Self::Composition,
        Self::Outcome,
    ];

    /// The word used in statements.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ProbeClean => "probe_clean",
            Self::Liveness => "liveness",
            Self::Capability => "capability",
            Self::Reciprocity => "reciprocity",
            Self::IdentityBind => "identity_bind",
            Self::Composition => "composition",
            Self::Outcome => "outcome",
        }
    }
}

/// `att_`, twelve hexadecimal digits of the time, and twelve random ones: their text order is that of time.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^att_[0-9a-f]{24}$"))]
pub struct AttestationId(String);

/// A text that is no id of an attestation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an attestation id: it looks like att_ and 24 hexadecimal digits")]
pub struct InvalidAttestationId;

impl AttestationId {
    /// A new one.
    #[must_use]
    pub fn at(now: Moment, random: &Random) -> Self {
        Self(format!("att_{:012x}{}", now.as_millisecond().max(0), random.hex(6)))
    }

    /// The id as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AttestationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for AttestationId {
    type Err = InvalidAttestationId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("att_").ok_or(InvalidAttestationId)?;
        let is_hex = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_hex && digits.len() == 24 { Ok(Self(text.to_owned())) } else { Err(InvalidAttestationId) }
    }
}

impl TryFrom<String> for AttestationId {
    type Error = InvalidAttestationId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<AttestationId> for String {
    fn from(id: AttestationId) -> Self {
        id.0
    }
}

/// What is kept of a signed statement: not its words, which whoever holds it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttestationRecord {
    /// Its id, the `jti` of the token.
    pub id: AttestationId,
    /// What it is about.
    #[serde(rename = "type")]
    pub about: AttestationType,
    /// Of which listing it speaks.
    pub listing_id: ListingId,
    /// The key that signed it.
    pub kid: String,
    /// When it was signed.
    pub issued_at: Moment,
    /// Until when it counts.
    pub expires_at: Moment,
    /// When and why it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Revocation>,
}

/// That a statement was revoked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Revocation {
    /// When.
    pub at: Moment,
    /// Why; everybody may read it.
    pub reason: PublicReason,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_are_read_back() {
        let random = Random::seeded(5);
        let at = |millis| AttestationId::at(Moment::from_millisecond(millis).unwrap(), &random);
        let (early, late) = (at(1_800_000_000_000), at(1_800_000_000_001));
        assert!(early < late);
        assert_eq!(early.as_str().parse(), Ok(early.clone()));
        for wrong in ["", "att_", "att_00", "out_000000000000000000000000", "att_00000000000000000000000G"] {
            assert_eq!(wrong.parse::<AttestationId>(), Err(InvalidAttestationId), "{wrong}");
        }
    }
}
