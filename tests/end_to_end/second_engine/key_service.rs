//! Tests signing with a key service: with keys in memory, and with the KMS of the second engine. The private keys are
//! then not in the table.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use registry::app::App;
use registry::app::key_service::{Algorithm, KeyService, KeyServiceError, ServiceKey};
use registry::events::Bus;
use registry::model::{Clock, Kind, Random};
use registry::settings::{Mode, Settings};
use registry::trust::keys;
use serde_json::json;
use tests::fixtures;
use tests::test_registry::NOON;

use super::{apps, call};

/// Keeps one P-256 key.
#[derive(Debug)]
struct MemoryKeys(SigningKey);

impl KeyService for MemoryKeys {
    fn public_key<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<ServiceKey, KeyServiceError>> {
        // RFC 5480 §2: the algorithm, then the uncompressed point.
        let info = "3059301306072a8648ce3d020106082a8648ce3d030107034200";
        let mut public: Vec<u8> =
            (0..info.len()).step_by(2).map(|at| u8::from_str_radix(&info[at..at + 2], 16).unwrap()).collect();
        public.extend_from_slice(self.0.verifying_key().to_sec1_point(false).as_bytes());
        async move { Ok(ServiceKey { id: format!("{id}-1"), public }) }.boxed()
    }

    fn sign<'a>(
        &'a self,
        id: &'a str,
        algorithm: Algorithm,
        message: &'a [u8],
    ) -> BoxFuture<'a, Result<Vec<u8>, KeyServiceError>> {
        let signature: Signature = self.0.sign(message);
        let known = id == "key-1" && algorithm == Algorithm::Es256;
        let answer = known.then(|| signature.to_der().as_bytes().to_vec());
        async move { answer.ok_or_else(|| KeyServiceError(format!("no key {id}"))) }.boxed()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn attestations_are_signed_in_the_key_service() {
    for (engine, app) in apps().await {
        let service: Arc<dyn KeyService> = Arc::new(MemoryKeys(SigningKey::from_slice(&[7; 32]).unwrap()));
        let lookup = |name: &str| match name {
            "RATE_LIMITS" => Some("off".to_owned()),
            "SIGNING_KEY_ID" => Some("key".to_owned()),
            _ => None,
        };
        let settings = Settings::from_env(Mode::Development, lookup).unwrap();
        let clock = Clock::manual(NOON.parse().unwrap());
        let (store, random) = (app.store.clone(), Random::seeded(7));
        let app = App::new(settings, store, Bus::Silent, clock, random).with_key_service(Some(service));

        let listing = &fixtures::insert_live_listings(&app, Kind::Mcp, 1).await[0];
        let answer = call(&app, "attest", json!({ "listing_id": listing })).await;
        let jws = &answer["attestation"]["jws"];
        let verified = call(&app, "verify_attestation", json!({ "jws": jws })).await;
        assert_eq!(verified["valid"], true, "{engine}: {verified}");
        let published = json!(keys::published(&app).await.unwrap());
        assert_eq!(published["keys"][0]["kid"], answer["attestation"]["kid"], "{engine}");

        let stored = app.store.signing_keys().await.unwrap();
        assert!(stored.iter().all(|key| key.secret.starts_with("service:")), "{engine}: a stored secret");
        let error = keys::rotate(&app).await.unwrap_err();
        assert_eq!(error.code.as_str(), "same_key", "{engine}: the key service has no new key yet");
    }
}
