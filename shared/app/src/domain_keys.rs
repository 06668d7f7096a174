//! The keys of a domain: their forms, the places where a domain publishes them, and the check of a signature.
//! A name, an identity, or an operation of an owner is proven with such a key.

mod did;
mod key_documents;
mod place;
mod public_key;
mod signature;

pub use did::{Did, InvalidDid};
pub use place::{DomainKeys, auth_document_url};
pub use public_key::{InvalidKey, PublicKey};
pub use signature::Signature;
