//! A service that holds private keys and signs with them, such as AWS KMS. The private half of such a key never reaches
//! this program. Without a key service, the private keys are in the table.

use std::fmt::Debug;

use futures::future::BoxFuture;
use registry_model::error::Source;

/// The signature algorithms of the registry's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// ECDSA on P-256 with SHA-256. The signature is DER (RFC 3279 §2.2.3).
    Es256,
    /// Ed25519 over at most 4,096 bytes. The signature has 64 bytes (RFC 8032).
    Ed25519,
}

/// The public half of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceKey {
    /// The permanent id of the key, such as its ARN. An alias can lead to another key later.
    pub id: String,
    /// A DER `SubjectPublicKeyInfo` (RFC 5280 §4.1).
    pub public: Vec<u8>,
}

/// Why the service did not answer: its own words, for the log.
#[derive(Debug, thiserror::Error)]
#[error("the key service failed")]
pub struct KeyServiceError(#[source] pub Source);

/// The crate `lambda` implements it with AWS KMS, tests with keys in memory.
pub trait KeyService: Debug + Send + Sync {
    /// Reads the public half of a key; `id` may be an alias.
    fn public_key<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<ServiceKey, KeyServiceError>>;

    fn sign<'a>(
        &'a self,
        id: &'a str,
        algorithm: Algorithm,
        message: &'a [u8],
    ) -> BoxFuture<'a, Result<Vec<u8>, KeyServiceError>>;
}
