//! Trust: the registry's own keys, signed statements about listings, and proofs of who owns the domain of a listing.
//! The statements contain only what the registry observed itself. No other module has access to the private keys.

pub mod attest;
pub mod attestation;
pub mod attestations;
pub mod bind_identity;
pub mod capability;
pub mod capability_hash;
pub mod card_signature;
pub mod check_pins;
pub mod collections;
pub mod facts;
pub mod first_principles;
pub mod get_reciprocity;
pub mod keys;
pub mod log_key;
pub mod manage_listing;
mod owner;
pub mod ownership;
pub mod pins;
pub mod reciprocity;
pub mod revoke_attestation;
pub mod rotate_signing_key;
pub mod verification;
pub mod verify_attestation;

crate::operation::operations! {
    CAPABILITY_HASH in "trust" = capability_hash::CapabilityHash,
    ATTEST in "trust" = attest::Attest,
    VERIFY_ATTESTATION in "trust" = verify_attestation::VerifyAttestation,
    ATTESTATIONS in "trust" = attestations::Attestations,
    CHECK_PINS in "trust" = check_pins::CheckPins,
    BIND_IDENTITY in "trust" = bind_identity::BindIdentity,
    MANAGE_LISTING in "trust" = manage_listing::ManageListing,
    PUBLISH_COLLECTION in "trust" = collections::publish_collection::PublishCollection,
    COLLECTIONS in "trust" = collections::list_collections::Collections,
    GET_RECIPROCITY in "trust" = get_reciprocity::GetReciprocity,
    REVOKE_ATTESTATION in "operator" = revoke_attestation::RevokeAttestation,
    ROTATE_SIGNING_KEY in "operator" = rotate_signing_key::RotateSigningKey,
    FIRST_PRINCIPLES in "trust" = first_principles::FirstPrinciples,
}

/// Version of the first principles (`specification.md#versioning`).
pub const VERSION: &str = "2.7.0";
