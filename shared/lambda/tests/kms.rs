//! Signs with a key in KMS. `SECOND_ENGINE` names an endpoint with a KMS, such as moto; `make proxies` starts one.

use aws_sdk_kms::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_kms::types::{KeySpec, KeyUsageType};
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use registry_app::private_key::{Algorithm, KeyService as _};
use registry_lambda::kms::Kms;

#[tokio::test]
#[ignore = "needs a KMS; `make proxies` runs it"]
async fn key_service_signs_with_a_key_of_kms() {
    let config = aws_sdk_kms::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("us-east-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .endpoint_url(std::env::var("SECOND_ENGINE").unwrap())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    let client = aws_sdk_kms::Client::from_conf(config);
    let new = client.create_key().key_spec(KeySpec::EccNistP256).key_usage(KeyUsageType::SignVerify);
    let id = new.send().await.unwrap().key_metadata.unwrap().key_id;

    let kms = Kms::new(client);
    let key = kms.public_key(&id).await.unwrap().public;
    // The point follows 26 bytes that name the algorithm (RFC 5480 §2).
    let key = VerifyingKey::from_sec1_bytes(&key[26..]).unwrap();
    let signature = kms.sign(&id, Algorithm::Es256, b"message").await.unwrap();
    key.verify(b"message", &Signature::from_der(&signature).unwrap()).unwrap();
}
