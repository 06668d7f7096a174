//! Tests that the requests of probes are signed (RFC 9421), so that a server can check that this registry sent them.

use std::collections::BTreeSet;

use axum::response::{IntoResponse as _, Redirect};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD as BASE64, URL_SAFE_NO_PAD as BASE64URL};
use registry::model::Moment;
use registry::store::StoredKey;
use ring::signature::{ED25519, UnparsedPublicKey};
use tests::prelude::*;

/// The key in the directory, and its id.
async fn published_key(registry: &TestRegistry) -> (Vec<u8>, String) {
    let directory = registry.get("/.well-known/http-message-signatures-directory").await.body;
    let key = &directory["keys"][0];
    (BASE64URL.decode(key["x"].as_str().unwrap()).unwrap(), key["kid"].as_str().unwrap().to_owned())
}

/// The parameter of a signature.
fn parameter<'a>(parameters: &'a str, name: &str) -> &'a str {
    let parameter = parameters.split(';').find_map(|part| part.strip_prefix(&format!("{name}=")));
    parameter.unwrap_or_else(|| panic!("{name} is missing: {parameters}")).trim_matches('"')
}

/// Checks a request as its receiver would. Returns the nonce.
fn verify(registry: &TestRegistry, request: &PeerRequest, key: &(Vec<u8>, String)) -> String {
    let header =
        |name: &str| request.header(name).unwrap_or_else(|| panic!("{name} is missing: {request:?}"));
    let parameters = header("signature-input").strip_prefix("sig1=").unwrap();
    let covered = r#"("@authority" "signature-agent";key="sig1")"#;
    assert!(parameters.starts_with(covered), "{parameters}");
    let agent = header("signature-agent").strip_prefix("sig1=").unwrap();
    assert_eq!(agent, format!("\"{}\"", registry.url("").trim_end_matches('/')));
    assert_eq!(parameter(parameters, "keyid"), key.1);
    assert_eq!(parameter(parameters, "tag"), "web-bot-auth");
    let [created, expires] =
        ["created", "expires"].map(|name| parameter(parameters, name).parse::<i64>().unwrap());
    let age = registry.now().as_second() - created;
    assert!((0..60).contains(&age) && expires == created + 300, "{parameters}");

    let base = format!(
        "\"@authority\": {}\n\"signature-agent\";key=\"sig1\": {agent}\n\"@signature-params\": {parameters}",
        header("host")
    );
    let signature =
        header("signature").strip_prefix("sig1=:").and_then(|rest| rest.strip_suffix(':')).unwrap();
    let signature = BASE64.decode(signature).unwrap();
    let public = UnparsedPublicKey::new(&ED25519, &key.0);
    public.verify(base.as_bytes(), &signature).unwrap();
    let elsewhere = base.replace(header("host"), "other.example");
    assert!(public.verify(elsewhere.as_bytes(), &signature).is_err());
    parameter(parameters, "nonce").to_owned()
}

#[tokio::test]
async fn every_request_of_a_probe_is_signed_with_the_published_key() {
    let registry = TestRegistry::start().await;
    let (agent, server) = (Peer::start(agents::newest).await, Peer::start(servers::legacy).await);
    registry.live_card(&agent.card()).await;
    registry.publish_mcp(&server.url("/mcp")).await;
    assert_eq!(registry.delivered_counts().await, (1, 1));
    let key = published_key(&registry).await;
    let requests = [agent.requests(), server.requests()].concat();
    assert!(requests.len() > 5, "{requests:?}");
    let nonces: BTreeSet<String> = requests.iter().map(|request| verify(&registry, request, &key)).collect();
    assert_eq!(nonces.len(), requests.len(), "each request has its own nonce");

    // The same key signs after the process has read it again.
    agent.forget_requests();
    registry.recheck_after(DAY * 7).await;
    assert!(!agent.requests().is_empty());
    agent.requests().iter().for_each(|request| drop(verify(&registry, request, &key)));
}

#[tokio::test]
async fn redirected_request_is_signed_for_its_own_host() {
    let registry = TestRegistry::start().await;
    let second = Peer::start(agents::newest).await;
    let to = second.card();
    let first = Peer::start(move |_| Redirect::temporary(&to).into_response()).await;
    registry.publish_card(&first.card()).await;
    registry.deliver_events().await;
    let key = published_key(&registry).await;
    for peer in [&first, &second] {
        let requests = peer.requests();
        assert!(requests.iter().any(|request| request.verb == "GET"), "{requests:?}");
        for request in &requests {
            assert_eq!(request.origin(), peer.origin);
            verify(&registry, request, &key);
        }
    }
}

#[tokio::test]
async fn probe_without_a_readable_key_is_sent_unsigned() {
    let registry = TestRegistry::start().await;
    let broken = StoredKey {
        kid: "broken".to_owned(),
        secret: "not a key".to_owned(),
        public: None,
        made_at: Moment::UNIX_EPOCH,
    };
    registry.app.store.keep_message_key(&broken).await.unwrap();
    let agent = Peer::start(agents::newest).await;
    registry.live_card(&agent.card()).await;
    let requests = agent.requests();
    for header in ["signature", "signature-input", "signature-agent"] {
        assert!(requests.iter().all(|request| request.header(header).is_none()), "{header}: {requests:?}");
    }
    // The sweep has counted and logged them.
    assert_eq!(registry.app.message_signer.take_unsigned(), 0);
}
