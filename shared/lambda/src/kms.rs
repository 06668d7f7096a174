//! Signs with keys in AWS KMS. Their private halves never leave KMS.

use aws_sdk_kms::Client;
use aws_sdk_kms::primitives::Blob;
use aws_sdk_kms::types::{MessageType, SigningAlgorithmSpec};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use registry_app::private_key::{Algorithm, KeyService, KeyServiceError, ServiceKey};
use registry_model::error::Source;

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
            let missing = || KeyServiceError("KMS returned no public key".into());
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
        // A longer token or card is sent as its digest: KMS signs at most this many bytes itself.
        let (kind, message) = if algorithm == Algorithm::Es256 && message.len() > 4096 {
            let digest = ring::digest::digest(&ring::digest::SHA256, message);
            (MessageType::Digest, digest.as_ref().to_vec())
        } else {
            (MessageType::Raw, message.to_vec())
        };
        async move {
            let request = self.0.sign().key_id(id).signing_algorithm(spec).message_type(kind);
            let signed = request.message(Blob::new(message)).send().await.map_err(failed)?;
            let missing = || KeyServiceError("KMS returned no signature".into());
            Ok(signed.signature.ok_or_else(missing)?.into_inner())
        }
        .boxed()
    }
}

fn failed(error: impl Into<Source>) -> KeyServiceError {
    KeyServiceError(error.into())
}
