//! Attestations: statements that the registry signs about listings. The registry stores a record of each
//! statement, so that it can count the statements and revoke them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListingId, Moment, PublicReason, Random, is_lower_hex};

string_enum! {
    /// What a statement is about. Each type is built from facts that the registry observed.
    #[derive(JsonSchema)]
    pub enum AttestationType {
        /// Whether the listing is Live with clean checks. Contains the result of each check of the last probe.
        ProbeClean = "probe_clean",
        /// When the listing last answered a handshake, and whether this counts as Live.
        Liveness = "liveness",
        /// The hash of the capabilities that the card or the tools of the listing described at the last probe.
        Capability = "capability",
        /// The reciprocity of the listing: for example whether it links back to this registry.
        Reciprocity = "reciprocity",
        /// Which key the domain of the listing published, and when this key signed a challenge.
        IdentityBind = "identity_bind",
        /// How often callers reported that they used the listing together with another listing.
        Composition = "composition",
        /// The results that callers reported after they used the listing.
        Outcome = "outcome",
    }
}

/// `att_` and 24 hexadecimal digits. The order of ids is the order of time.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^att_[0-9a-f]{24}$"))]
pub struct AttestationId(String);

text_type!(
    AttestationId,
    InvalidAttestationId,
    "not an attestation id; an attestation id is att_ and 24 hexadecimal digits",
    |text: String| text.strip_prefix("att_").is_some_and(|digits| is_lower_hex(digits, 24)).then_some(text)
);

impl AttestationId {
    /// Twelve digits of the time in milliseconds and twelve random ones.
    pub fn at(now: Moment, random: &Random) -> Self {
        Self(format!("att_{:012x}{}", now.as_millisecond().max(0), random.hex(6)))
    }
}

/// The record of a signed statement. The statement itself is not stored; only the caller who requested it has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttestationRecord {
    /// The id of the statement (`jti` in the token).
    pub id: AttestationId,
    /// What the statement is about.
    #[serde(rename = "type")]
    pub about: AttestationType,
    /// The listing that it is about.
    pub listing_id: ListingId,
    /// The id of the key that signed it.
    pub kid: String,
    /// When it was signed.
    pub issued_at: Moment,
    /// When it expires.
    pub expires_at: Moment,
    /// SHA-256 (hex) of the token. Absent in records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jws_sha256: Option<String>,
    /// When and why the statement was revoked. Absent if it was not revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Revocation>,
    /// Whether it says `live: false` or `clean: false`. Stored outside the record; false for older statements.
    #[serde(skip)]
    pub is_negative: bool,
}

/// The revocation of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Revocation {
    /// When it was revoked.
    pub at: Moment,
    /// The reason. It is public.
    pub reason: PublicReason,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attestation_ids_are_ordered_by_time_and_can_be_parsed() {
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
