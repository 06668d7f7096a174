//! Moves a registry to another data file with an export and an import. Its listings, keys and evidence log go on. An import
//! into a table in use changes no item that exists.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD as BASE64, URL_SAFE_NO_PAD as BASE64URL};
use local::Data;
use local::takedown;
use registry::model::{AccessToken, Clock};
use tests::prelude::*;

use super::evidence_log::{checkpoint, leaves, verified_proof};
use super::evidence_log_keys::verifies;
use crate::fixtures::live_agent;

const BASE_URL: &str = "https://registry.example.org";

#[tokio::test]
async fn moved_registry_goes_on_with_its_keys_and_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("source.db"), folder.path().join("target.db"));
    let clock = Clock::manual(tests::test_registry::NOON.parse().unwrap());
    let start = |data: &std::path::Path| {
        let options = TestOptions::default().with_setting("BASE_URL", BASE_URL).with_clock(clock.clone());
        TestRegistry::start_with(options.with_data(Data::File(data.to_path_buf())))
    };
    let registry = start(&source).await;
    let peer = Peer::start(agents::fleet).await;
    let ids = registry.live_agents(&peer, 0..3).await;
    registry.tick_after(HOUR).await;
    let attestation = registry.call_tool("attest", &json!({ "listing_id": ids[0] })).await;
    let (log, old_leaves) = (registry.get("/log").await.body, leaves(&registry).await);
    let signed = checkpoint(&registry).await;
    let keys = registry.get("/.well-known/jwks.json").await.body;
    let before = registry.table().await;
    let settings = registry.app.settings.clone();
    registry.stop().await;

    let mut lines = Vec::new();
    let items = takedown::export(&source, &settings, &mut lines).await.unwrap();
    let imported = takedown::import(&target, &settings, &lines[..]).await.unwrap();
    assert_eq!((imported.items, imported.written), (items, items));

    let registry = start(&target).await;
    assert_eq!(before.difference(&registry.table().await), [""; 0]);
    assert_eq!(checkpoint(&registry).await, signed);
    assert_eq!(registry.get("/.well-known/jwks.json").await.body, keys);
    assert_eq!(leaves(&registry).await, old_leaves);
    let jws = &attestation["attestation"]["jws"];
    assert_eq!(registry.call_tool("verify_attestation", &json!({ "jws": jws })).await["valid"], true);

    // The log grows, and clients that know only its old key verify it.
    let new = registry.live_card(&peer.url("/3/card.json")).await;
    registry.tick_after(HOUR).await;
    let grown = registry.get("/log").await.body;
    assert_eq!(grown["vkey"], log["vkey"]);
    assert!(grown["tree_size"].as_u64() > log["tree_size"].as_u64(), "{grown}");
    assert!(verifies(&checkpoint(&registry).await, log["vkey"].as_str().unwrap()));
    assert_eq!(leaves(&registry).await[..old_leaves.len()], old_leaves);
    assert_eq!(verified_proof(&registry, &format!("listing_id={new}")).await["leaf"]["event"], "live");
    assert_eq!(registry.live_counts().await, (4, 0));
}

#[tokio::test]
async fn import_brings_back_lost_listings_but_no_revoked_token() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("registry.db");
    let start = || TestRegistry::start_with(TestOptions::default().with_data(Data::File(data.clone())));
    let registry = start().await;
    let peer = Peer::start(agents::newest).await;
    let id = registry.live_card(&peer.card()).await;
    let reward = async |id: &ListingId| {
        let draft = registry.draft(id).await;
        let token = registry.post("/api/products/feedback", &draft).await.body["access_token"].clone();
        token.as_str().unwrap().parse::<AccessToken>().unwrap()
    };
    let token = reward(&id).await;
    let settings = registry.app.settings.clone();
    registry.stop().await;
    let mut lines = Vec::new();
    takedown::export(&data, &settings, &mut lines).await.unwrap();

    let registry = start().await;
    let revoke = json!({ "command": "revoke_access", "token_sha256": token.digest() });
    assert_eq!(registry.run("operator", revoke).await["changed"], true);
    for item in registry.items(&format!("LISTING#{id}")).await {
        registry.forget(&format!("LISTING#{id}"), item["sk"].as_s().unwrap()).await;
    }
    registry.stop().await;
    let imported = takedown::import(&data, &settings, &lines[..]).await.unwrap();
    assert!(imported.written > 0 && imported.written < imported.items, "{imported:?}");

    let registry = start().await;
    assert_eq!(registry.lane(&id).await, "active");
    let access = registry.get(&format!("/api/products/access?token={}", token.reveal())).await;
    assert_eq!(access.status, 401, "the revoked token gives access again");
}

/// The table was imported without the key service of its signing key.
#[tokio::test]
async fn new_signing_key_replaces_one_that_stayed_in_a_key_service() {
    let (registry, _peer, id) = live_agent().await;
    let attest =
        async || registry.call_tool("attest", &json!({ "listing_id": id })).await["attestation"].clone();
    let old = attest().await;
    let key = registry.get("/.well-known/jwks.json").await.body["keys"][0].clone();
    // RFC 5480 §2: the algorithm, then the uncompressed point.
    let mut public = b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00\x04".to_vec();
    for part in ["x", "y"] {
        public.extend(BASE64URL.decode(key[part].as_str().unwrap()).unwrap());
    }
    let text = |text: &str| aws_sdk_dynamodb::types::AttributeValue::S(text.to_owned());
    registry.overwrite("KEY#ES256", "FIRST", "secret", text("left:service:arn:aws:kms:x")).await;
    registry.overwrite("KEY#ES256", "FIRST", "public", text(&BASE64.encode(public))).await;

    registry.advance(HOUR);
    let new = attest().await;
    assert_ne!(new["kid"], old["kid"]);
    assert_eq!(attest().await["kid"], new["kid"], "one new key is enough");
    for attestation in [&old, &new] {
        let verified: Value =
            registry.call_tool("verify_attestation", &json!({ "jws": attestation["jws"] })).await;
        assert_eq!(verified["valid"], true, "{verified}");
    }
}
