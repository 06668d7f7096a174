//! The keys of a domain: their forms, the sources where a domain publishes them, and the check of a signature.
//! With such a key, an owner proves a name or an identity, or signs a request.

mod public_key;
mod signature;
mod source;

pub use public_key::{InvalidKey, PublicKey};
pub use signature::Signature;
pub use source::{DomainKeys, auth_document_url};
