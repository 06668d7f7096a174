//! The keys of a domain: their forms, the places where a domain publishes them, and the check of a signature.
//! Names, identities and operations of owners are all proven with them.

mod did;
mod key_documents;
mod place;
mod public_key;
mod signature;

pub use did::{Did, InvalidDid};
pub use place::{DomainKeys, auth_document_url};
pub use public_key::{InvalidKey, PublicKey};
pub use signature::Signature;
