//! The operations of the evidence log.

pub mod inclusion_proof;

crate::operation::operations! {
    INCLUSION_PROOF in "listings" = inclusion_proof::InclusionProof,
}
