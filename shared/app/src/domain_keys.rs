//! The keys of a domain: their forms, the places where a domain publishes them, and the check of a signature.
//! With such a key, an owner proves a name or an identity, or signs a request.

mod place;
mod public_key;
mod signature;

pub use place::{DomainKeys, auth_document_url};
pub use public_key::{InvalidKey, PublicKey};
pub use signature::Signature;
