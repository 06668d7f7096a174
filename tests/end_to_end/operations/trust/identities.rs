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
        let listing = json!({ "listing_id": id });
        let mut call = owner.with_signature(&self.registry, "bind_identity", &listing).await;
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
    let (owner, stranger, registry) = (Owner::new(1), Owner::new(2), &setup.registry);
    let unbound = registry.call_tool("bind_identity", &json!({ "listing_id": setup.id })).await;
    // An address has no TXT records. The challenge names this registry, the act and the nonce.
    let unbound = members(&unbound, &["bound", "identities", "ways", "challenge"]);
    assert_snapshot!(shown(registry, &unbound));

    let set = json!({ "keys": [{ "kty": "RSA" }, owner.jwk()] });
    for (method, path, text, more) in [
        ("http", "/127.0.0.1/auth", owner.record(), json!({})),
        ("key_set", "/.well-known/jwks.json", set.to_string(), json!({ "public_jwk": owner.jwk() })),
    ] {
        setup.serve(path, text);
        assert_eq!(setup.refused_bind(&stranger, json!({})).await["status"], 403, "{method}");
        let bound = json!({ "bound": true, "method": method, "proven_domain": "127.0.0.1" });
        assert_members(&setup.bind_ok(&owner, more).await, &bound);
    }
    let claims = attest_listing(registry, &setup.id, "identity_bind").await["claims"].clone();
    assert_eq!(claims["method"], "key_set", "{claims}");
    let reciprocity = registry.settled(&format!("/api/products/reciprocity?id={}", setup.id)).await;
    // The same key is one identity, at the last place that proved it.
    let domain = item(&reciprocity["signals"], "id", "domain");
    let shown_key = json!({ "identities": reciprocity["identities"], "domain": domain,
        "edges": reciprocity["graph"]["edges"] });
    assert_snapshot!(shown(registry, &shown_key));
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
    // The record is at the registrable domain of the host. A listing without a remote belongs to the domain of its name.
    let package = json!([{ "registryType": "npm", "identifier": "adder", "version": "1.0.0",
        "transport": { "type": "stdio" } }]);
    let local = json!({ "name": "com.example/tool", "description": "Adds numbers.", "version": "1.0.0",
        "packages": package });
    for body in [json!({ "mcp_url": "https://mcp.example.com/mcp" }), local] {
        let id = id_of(&registry.publish(&body).await);
        let call = owner.with_signature(&registry, "bind_identity", &json!({ "listing_id": id })).await;
        let bound = registry.call_tool("bind_identity", &call).await;
        assert_members(&bound, &json!({ "proven_domain": "example.com", "method": "dns" }));
    }
}

#[tokio::test]
async fn challenge_is_valid_once_and_for_one_action_within_15_minutes() {
    let setup = IdentitySetup::start().await;
    let (owner, stranger, registry) = (Owner::new(1), Owner::new(2), &setup.registry);
    setup.serve("/127.0.0.1/auth", owner.record());
    let code = async |call: &Value| registry.refused_code("bind_identity", call).await;
    let arguments = json!({ "listing_id": setup.id });

    let call = owner.with_signature(registry, "bind_identity", &arguments).await;
    assert_eq!(registry.call_tool("bind_identity", &call).await["bound"], true);
    assert_eq!(code(&call).await, "unknown_challenge", "a used challenge was accepted");

    let late = owner.with_signature(registry, "bind_identity", &arguments).await;
    registry.advance(Duration::from_secs(15 * 60));
    assert_eq!(code(&late).await, "unknown_challenge", "an expired challenge was accepted");

    let other = registry.publish_card(&setup.peer.url("/other/agent-card.json")).await;
    let other = json!({ "listing_id": other });
    let withdraw = with_members(arguments.clone(), &json!({ "act": "withdraw" }));
    for (tool, signed) in [("bind_identity", other), ("manage_listing", withdraw)] {
        let call = owner.with_signature(registry, tool, &signed).await;
        let call = with_members(arguments.clone(), &members(&call, &["nonce", "signature"]));
        assert_eq!(code(&call).await, "challenge_of_another_act", "{tool}");
    }
    let mut call = owner.with_signature(registry, "bind_identity", &arguments).await;
    call["nonce"] = json!("0".repeat(32));
    assert_eq!(code(&call).await, "unknown_challenge", "an unknown challenge was accepted");
    call["signature"] = json!("00");
    assert_eq!(code(&call).await, "bad_signature");

    // The signature is valid, but the domain does not publish this key; the key of the domain signed, but the call contains
    // another key.
    let jwk = json!({ "public_jwk": stranger.jwk() });
    assert_eq!(setup.refused_bind(&stranger, jwk.clone()).await["code"], "key_not_of_domain");
    assert_eq!(setup.refused_bind(&owner, jwk).await["code"], "signature_mismatch");
    setup.serve("/none", "");
    assert_eq!(setup.refused_bind(&owner, json!({})).await["code"], "no_domain_key");
}

/// Of several concurrent calls with one challenge, one succeeds.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_concurrent_uses_of_a_challenge_succeeds() {
    let setup = IdentitySetup::start().await;
    let (owner, arguments) = (Owner::new(1), setup.arguments(json!({})));
    setup.serve("/127.0.0.1/auth", owner.record());
    let mut body = owner.with_signature(&setup.registry, "bind_identity", &arguments).await;
    body["action"] = json!("bind_identity");
    let replies = futures::future::join_all((0..6).map(|_| setup.registry.post(super::FAMILY, &body))).await;
    let (done, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 200);
    assert_eq!(done.len(), 1, "{replies:?}");
    assert!(refused.iter().all(|reply| matches!(reply.status, 403 | 409)), "{refused:?}");
}

/// A proof reads places of the registrable domain, so many hosts of it do not allow more reads.
#[tokio::test]
async fn strangers_who_use_up_the_proofs_of_a_domain_do_not_lock_its_owner_out() {
    let options = TestOptions::default().with_rate(LimitedAction::OwnerProof, |rate| rate.target = 4);
    let setup = IdentitySetup::start_with(options).await;
    let (owner, stranger) = (Owner::new(1), Owner::new(2));
    setup.serve("/example.com/auth", owner.record());
    let prove = async |host: &str, caller: u8, owner: &Owner| {
        let id = setup.registry.publish_mcp(&format!("https://{host}.shop.example.com/mcp")).await;
        setup.bind_from(caller, owner, &id).await
    };
    for (host, caller) in [("a", 2), ("b", 2), ("c", 2), ("d", 3), ("e", 3), ("f", 3)] {
        assert_eq!(prove(host, caller, &stranger).await.status, 403, "{host}");
    }
    prove("g", 3, &stranger).await.assert_body(429, &json!({ "allowance": "host" }));
    prove("h", 200, &owner).await.assert_body(200, &json!({ "bound": true }));
}
