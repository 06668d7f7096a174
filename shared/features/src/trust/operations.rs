//! The operations of trust.

pub mod attest;
pub mod attestations;
pub mod bind_identity;
pub mod capability_hash;
pub mod check_pins;
pub mod first_principles;
pub mod get_reciprocity;
pub mod list_collections;
pub mod manage_listing;
pub mod publish_collection;
pub mod revoke_attestation;
pub mod rotate_signing_key;
pub mod verify_attestation;

crate::operation::operations! {
    CAPABILITY_HASH in "trust" = capability_hash::CapabilityHash,
    ATTEST in "trust" = attest::Attest,
    VERIFY_ATTESTATION in "trust" = verify_attestation::VerifyAttestation,
    ATTESTATIONS in "trust" = attestations::Attestations,
    CHECK_PINS in "trust" = check_pins::CheckPins,
    BIND_IDENTITY in "trust" = bind_identity::BindIdentity,
    MANAGE_LISTING in "trust" = manage_listing::ManageListing,
    PUBLISH_COLLECTION in "trust" = publish_collection::PublishCollection,
    COLLECTIONS in "trust" = list_collections::Collections,
    GET_RECIPROCITY in "trust" = get_reciprocity::GetReciprocity,
    REVOKE_ATTESTATION in "operator" = revoke_attestation::RevokeAttestation,
    ROTATE_SIGNING_KEY in "operator" = rotate_signing_key::RotateSigningKey,
    FIRST_PRINCIPLES in "trust" = first_principles::FirstPrinciples,
}
