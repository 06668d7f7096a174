//! The keys by which a domain speaks: what forms they come in, where a domain makes them known, and whether one of them
//! signed a text. A room of its own, because names, identities and owners' acts are all proven by them.

mod base58;
mod did;
mod key_documents;
mod place;
mod public_key;
mod signature;

pub use did::{Did, InvalidDid};
pub use place::{DomainKeys, auth_document_url};
pub use public_key::{InvalidKey, PublicKey};
pub use signature::Signature;
