//! The operations of federation.

pub mod federation_pull;
pub mod federation_push;
pub mod overview;

crate::operation::operations! {
    FEDERATION in "federation" = overview::Federation,
    FEDERATION_PULL in "operator" = federation_pull::FederationPull,
    FEDERATION_PUSH in "operator" = federation_push::FederationPush,
}
