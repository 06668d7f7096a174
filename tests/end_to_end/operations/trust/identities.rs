//! Tests `bind_identity`: each way to publish a domain's key works, and keys of other domains are refused.

use std::time::Duration;

use axum::response::IntoResponse as _;
use insta::assert_snapshot;
use registry::model::LimitedAction;
use tests::peers::domains::Owner;
use tests::peers::name_server::{DnsAnswer, NameServer};
use tests::prelude::*;

use super::attest_listing;
use crate::fixtures::{item, members, shown};

struct IdentitySetup {
    registry: TestRegistry,
    peer: Peer,
    id: ListingId,
}

impl IdentitySetup {
    /// A Live agent on loopback that also serves the proof documents of its domain.
    async fn start() -> Self {
        Self::start_with(TestOptions::default()).await
    }

    async fn start_with(options: TestOptions) -> Self {
        let peer = Peer::start(agents::newest).await;
        let registry = TestRegistry::start_with(options.with_domain_proofs(&peer.origin)).await;
        let id = registry.live_card(&peer.card()).await;
        Self { registry, peer, id }
    }

    /// From now on, the agent also serves this text.
    fn serve(&self, path: &'static str, text: impl Into<String>) {
        let text = text.into();
        self.peer.answer_with(move |request| match (request.verb.as_str(), request.path == path) {
            ("GET", true) => text.clone().into_response(),
            _ => agents::newest(request),
        });
    }

    async fn bind_ok(&self, owner: &Owner, more: Value) -> Value {
        let call = owner.with_signature(&self.registry, "bind_identity", &self.arguments(more)).await;
        self.registry.call_tool("bind_identity", &call).await
    }

    async fn refused_bind(&self, owner: &Owner, more: Value) -> Value {
        let call = owner.with_signature(&self.registry, "bind_identity", &self.arguments(more)).await;
        self.registry.refused_tool("bind_identity", &call).await
    }

    /// Binds a key with a call from this address; another address requests the challenge.
    async fn bind_from(&self, caller: u8, owner: &Owner, id: &ListingId) -> Reply {
        let mut call =
            owner.with_signature(&self.registry, "bind_identity", &json!({ "listing_id": id })).await;
        call["action"] = json!("bind_identity");
        self.registry.post_from([127, 0, 0, caller].into(), super::FAMILY, &call).await
    }

    fn arguments(&self, mut more: Value) -> Value {
        more["listing_id"] = json!(self.id);
        more
    }
}

#[tokio::test]
async fn every_proof_method_binds_the_key_of_the_domain() {
    let setup = IdentitySetup::start().await;
    let (owner, stranger) = (Owner::new(1), Owner::new(2));
    let unbound = setup.registry.call_tool("bind_identity", &json!({ "listing_id": setup.id })).await;
    // An address has no TXT records. The challenge names this registry, the act and the nonce.
    assert_snapshot!(shown(
        &setup.registry,
        &members(&unbound, &["bound", "identities", "ways", "challenge"])
    ));

    let set = json!({ "keys": [{ "kty": "RSA" }, owner.jwk()] });
    for (method, path, text, more) in [
        ("http", "/127.0.0.1/auth", owner.record(), json!({})),
        ("key_set", "/.well-known/jwks.json", set.to_string(), json!({ "public_jwk": owner.jwk() })),
    ] {
        setup.serve(path, text);
        let problem = setup.refused_bind(&stranger, json!({})).await;
        assert_eq!(problem["status"], 403, "{method}: {problem}");
        let bound = setup.bind_ok(&owner, more).await;
        assert_eq!((&bound["bound"], &bound["method"]), (&json!(true), &json!(method)), "{bound}");
        assert_eq!(bound["proven_domain"], "127.0.0.1");
    }
    let claims = attest_listing(&setup.registry, &setup.id, "identity_bind").await["claims"].clone();
    assert_eq!(claims["method"], "key_set", "{claims}");
    setup.registry.settle();
    let reciprocity = setup.registry.get(&format!("/api/products/reciprocity?id={}", setup.id)).await.body;
    // The same key is one identity, at the last place that proved it.
    let domain = item(&reciprocity["signals"], "id", "domain");
    let (identities, edges) = (&reciprocity["identities"], &reciprocity["graph"]["edges"]);
    let shown_key = json!({ "identities": identities, "domain": domain, "edges": edges });
    assert_snapshot!(shown(&setup.registry, &shown_key));
}

#[tokio::test]
async fn key_in_txt_records_is_bound() {
    let owner = Owner::new(1);
    let record = owner.record();
    let name_server = NameServer::start(move |name| match name {
        "example.com." => DnsAnswer::Txt(vec!["v=spf1 -all".to_owned(), record.clone()]),
        _ => DnsAnswer::NoName,
    })
    .await;
    let nothing = Peer::start(|_| empty(404)).await;
    let options = TestOptions::default()
        .with_setting("DNS_SERVER", name_server.address)
        .with_domain_proofs(&nothing.origin);
    let registry = TestRegistry::start_with(options).await;
    let id = registry.publish_mcp("https://mcp.example.com/mcp").await;
    let call = owner.with_signature(&registry, "bind_identity", &json!({ "listing_id": id })).await;
    let bound = registry.call_tool("bind_identity", &call).await;
    // The record is at the registrable domain of the host.
    assert_members(&bound, &json!({ "proven_domain": "example.com", "method": "dns" }));

    // A listing without a remote belongs to the domain of its name.
    let server_json = json!({ "name": "com.example/tool", "description": "Adds numbers.", "version": "1.0.0",
        "packages": [{ "registryType": "npm", "identifier": "adder", "version": "1.0.0",
            "transport": { "type": "stdio" } }] });
    let local = id_of(&registry.publish(&server_json).await);
    let call = owner.with_signature(&registry, "bind_identity", &json!({ "listing_id": local })).await;
    let bound = registry.call_tool("bind_identity", &call).await;
    assert_eq!(bound["proven_domain"], "example.com", "{bound}");
}

#[tokio::test]
async fn challenge_is_valid_once_and_for_one_action_within_15_minutes() {
    let setup = IdentitySetup::start().await;
    let (owner, registry) = (Owner::new(1), &setup.registry);
    setup.serve("/127.0.0.1/auth", owner.record());
    let code = async |call: &Value| registry.refused_tool("bind_identity", call).await["code"].clone();
    let arguments = json!({ "listing_id": setup.id });

    let call = owner.with_signature(registry, "bind_identity", &arguments).await;
    assert_eq!(registry.call_tool("bind_identity", &call).await["bound"], true);
    assert_eq!(code(&call).await, "unknown_challenge", "a used challenge was accepted");

    let late = owner.with_signature(registry, "bind_identity", &arguments).await;
    registry.advance(Duration::from_secs(15 * 60));
    assert_eq!(code(&late).await, "unknown_challenge", "an expired challenge was accepted");

    let other = registry.publish_card(&setup.peer.url("/other/agent-card.json")).await;
    let mut call = owner.with_signature(registry, "bind_identity", &json!({ "listing_id": other })).await;
    call["listing_id"] = json!(setup.id);
    assert_eq!(code(&call).await, "challenge_of_another_act");
    let withdraw = json!({ "listing_id": setup.id, "act": "withdraw" });
    let mut call = owner.with_signature(registry, "manage_listing", &withdraw).await;
    call.as_object_mut().unwrap().remove("act");
    assert_eq!(code(&call).await, "challenge_of_another_act");

    let mut call = owner.with_signature(registry, "bind_identity", &arguments).await;
    call["nonce"] = json!("0".repeat(32));
    assert_eq!(code(&call).await, "unknown_challenge", "an unknown challenge was accepted");
    call["signature"] = json!("00");
    assert_eq!(code(&call).await, "bad_signature");

    // The signature is valid, but the domain does not publish this key.
    let stranger = Owner::new(2);
    let problem = setup.refused_bind(&stranger, json!({ "public_jwk": stranger.jwk() })).await;
    assert_eq!(problem["code"], "key_not_of_domain", "{problem}");
    // The key of the domain signed, but the call contains another key.
    let problem = setup.refused_bind(&owner, json!({ "public_jwk": stranger.jwk() })).await;
    assert_eq!(problem["code"], "signature_mismatch", "{problem}");
    setup.serve("/none", "");
    let problem = setup.refused_bind(&owner, json!({})).await;
    assert_eq!(problem["code"], "no_domain_key", "{problem}");
}

/// Of several concurrent calls with one challenge, one succeeds.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_concurrent_uses_of_a_challenge_succeeds() {
    let setup = IdentitySetup::start().await;
    let owner = Owner::new(1);
    setup.serve("/127.0.0.1/auth", owner.record());
    let mut body =
        owner.with_signature(&setup.registry, "bind_identity", &json!({ "listing_id": setup.id })).await;
    body["action"] = json!("bind_identity");
    let replies = futures::future::join_all((0..6).map(|_| setup.registry.post(super::FAMILY, &body))).await;
    let done = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!(done, 1, "{replies:?}");
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        assert!(matches!(reply.status, 403 | 409), "{reply:?}");
    }
}

#[tokio::test]
async fn strangers_who_use_up_the_proofs_of_a_host_do_not_lock_its_owner_out() {
    let options = TestOptions::default().with_rate(LimitedAction::OwnerProof, |rate| rate.target = 4);
    let setup = IdentitySetup::start_with(options).await;
    let (owner, stranger) = (Owner::new(1), Owner::new(2));
    setup.serve("/127.0.0.1/auth", owner.record());
    for caller in [2, 2, 2, 3, 3, 3] {
        let refused = setup.bind_from(caller, &stranger, &setup.id).await;
        assert_eq!(refused.status, 403, "{refused:?}");
    }
    assert_eq!(setup.bind_from(3, &stranger, &setup.id).await.body["allowance"], "host");
    setup.bind_from(200, &owner, &setup.id).await.assert_body(200, &json!({ "bound": true }));
}

/// A proof reads places of the registrable domain, so many hosts of it do not allow more reads.
#[tokio::test]
async fn proofs_are_limited_by_registrable_domain() {
    let options = TestOptions::default().with_rate(LimitedAction::OwnerProof, |rate| rate.target = 4);
    let setup = IdentitySetup::start_with(options).await;
    let stranger = Owner::new(2);
    let prove = async |host: &str, caller: u8| {
        let id = setup.registry.publish_mcp(&format!("https://{host}.shop.example.com/mcp")).await;
        setup.bind_from(caller, &stranger, &id).await
    };
    for (host, caller) in [("a", 2), ("b", 2), ("c", 2), ("d", 3), ("e", 3), ("f", 3)] {
        assert_ne!(prove(host, caller).await.status, 429, "{host}");
    }
    prove("g", 3).await.assert_body(429, &json!({ "allowance": "host" }));
}
