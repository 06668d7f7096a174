//! Signs and encrypts with keys in AWS KMS. A key, or its private half, never leaves KMS.

use std::collections::HashMap;

use aws_sdk_kms::Client;
use aws_sdk_kms::error::DisplayErrorContext;
use aws_sdk_kms::primitives::Blob;
use aws_sdk_kms::types::{MessageType, SigningAlgorithmSpec};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use registry_app::key_service::{Algorithm, KeyService, KeyServiceError, ServiceKey};

/// KMS signs at most this many bytes itself.
const MAX_RAW_BYTES: usize = 4096;

/// The keys of an AWS account.
#[derive(Clone, Debug)]
pub struct Kms(Client);

impl Kms {
    #[must_use]
    pub const fn new(client: Client) -> Self {
        Self(client)
    }
}

impl KeyService for Kms {
    fn public_key<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<ServiceKey, KeyServiceError>> {
        async move {
            let key = self.0.get_public_key().key_id(id).send().await.map_err(failed)?;
            let missing = || KeyServiceError("KMS returned no public key".to_owned());
            let public = key.public_key.ok_or_else(missing)?.into_inner();
            Ok(ServiceKey { id: key.key_id.ok_or_else(missing)?, public })
        }
        .boxed()
    }

    fn sign<'a>(
        &'a self,
        id: &'a str,
        algorithm: Algorithm,
        message: &'a [u8],
    ) -> BoxFuture<'a, Result<Vec<u8>, KeyServiceError>> {
        let spec = match algorithm {
            Algorithm::Es256 => SigningAlgorithmSpec::EcdsaSha256,
            Algorithm::Ed25519 => SigningAlgorithmSpec::Ed25519Sha512,
        };
        // A longer token or card is sent as its digest.
        let (kind, message) = if algorithm == Algorithm::Es256 && message.len() > MAX_RAW_BYTES {
            let digest = ring::digest::digest(&ring::digest::SHA256, message);
            (MessageType::Digest, digest.as_ref().to_vec())
        } else {
            (MessageType::Raw, message.to_vec())
        };
        async move {
            let request = self.0.sign().key_id(id).signing_algorithm(spec).message_type(kind);
            let signed = request.message(Blob::new(message)).send().await.map_err(failed)?;
            let missing = || KeyServiceError("KMS returned no signature".to_owned());
            Ok(signed.signature.ok_or_else(missing)?.into_inner())
        }
        .boxed()
    }

    fn encrypt<'a>(
        &'a self,
        id: &'a str,
        context: &'a [(&'a str, &'a str)],
        plain: &'a [u8],
    ) -> BoxFuture<'a, Result<Vec<u8>, KeyServiceError>> {
        let context = context_of(context);
        async move {
            let request = self.0.encrypt().key_id(id).set_encryption_context(Some(context));
            let encrypted = request.plaintext(Blob::new(plain)).send().await.map_err(failed)?;
            let missing = || KeyServiceError("KMS returned no encrypted text".to_owned());
            Ok(encrypted.ciphertext_blob.ok_or_else(missing)?.into_inner())
        }
        .boxed()
    }

    fn decrypt<'a>(
        &'a self,
        id: &'a str,
        context: &'a [(&'a str, &'a str)],
        sealed: &'a [u8],
    ) -> BoxFuture<'a, Result<Vec<u8>, KeyServiceError>> {
        let context = context_of(context);
        async move {
            let request = self.0.decrypt().key_id(id).set_encryption_context(Some(context));
            let decrypted = request.ciphertext_blob(Blob::new(sealed)).send().await.map_err(failed)?;
            let missing = || KeyServiceError("KMS returned no text".to_owned());
            Ok(decrypted.plaintext.ok_or_else(missing)?.into_inner())
        }
        .boxed()
    }
}

fn context_of(context: &[(&str, &str)]) -> HashMap<String, String> {
    context.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn failed(error: impl std::error::Error) -> KeyServiceError {
    KeyServiceError(DisplayErrorContext(error).to_string())
}
