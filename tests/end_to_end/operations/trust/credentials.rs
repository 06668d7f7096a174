//! Tests credentials for probes: only the proven owner can give one, only a probe can use it, and it never leaves the
//! registry in any other way.

use std::sync::{Arc, Mutex};

use axum::response::IntoResponse as _;
use registry::model::ListingId;
use serde_json::{Value, json};
use tests::peers::sign_in::{TOKEN, authorization_server, gated};
use tests::peers::{Peer, agents, empty};
use tests::test_registry::{HOUR, TICK, TestOptions, TestRegistry, id_of};

use super::Owner;
use crate::fixtures::recheck_at;

struct Setup {
    registry: TestRegistry,
    authorization: Peer,
    server: Peer,
    /// What the domain publishes, by path.
    _documents: Peer,
    owner: Owner,
    id: ListingId,
}

fn described(url: &str) -> Value {
    json!({ "name": "org.example/files", "title": "Files", "description": "Reads your files.", "version": "1.0.0",
        "remotes": [{ "type": "streamable-http", "url": url }] })
}

impl Setup {
    async fn start() -> Self {
        let owner = Owner::new(1);
        let record = owner.record();
        let documents = Peer::start(move |request| match request.path.as_str() {
            "/127.0.0.1/auth" => record.clone().into_response(),
            _ => empty(404),
        })
        .await;
        let authorization = Peer::start(authorization_server).await;
        let server = Peer::start(gated(&authorization.origin)).await;
        let proof_url = format!("{}/{{domain}}/auth", documents.origin);
        let options = TestOptions::default().with_setting("DOMAIN_PROOF_URL", proof_url);
        let registry = TestRegistry::start_with(options).await;
        let id = id_of(&registry.publish(&described(&server.url("/mcp"))).await);
        registry.deliver_events().await;
        assert_eq!(registry.lane(&id).await, "gated");
        registry.advance(TICK);
        Self { registry, authorization, server, _documents: documents, owner, id }
    }

    fn set(&self) -> Value {
        json!({ "listing_id": self.id, "act": "set_credential", "credential": TOKEN })
    }

    async fn act(&self, arguments: &Value) -> Value {
        let call = self.owner.with_signature(&self.registry, "manage_listing", arguments).await;
        self.registry.call_tool("manage_listing", &call).await
    }

    async fn refusal(&self, arguments: &Value) -> Value {
        self.registry.refused_tool("manage_listing", arguments).await["code"].clone()
    }

    /// Gives the credential, and probes.
    async fn live(&self) {
        let done = self.act(&self.set()).await;
        assert_eq!((&done["done"], &done["changed"]), (&json!(true), &json!(true)), "{done}");
        self.registry.deliver_events().await;
        let status = self.registry.status(&self.id).await;
        assert_eq!((&status["lane"], &status["access"]), (&json!("active"), &json!("gated")), "{status}");
    }

    async fn stored(&self) -> usize {
        self.registry.items("CREDENTIAL#").await.len()
    }

    async fn everything(&self) -> String {
        let mut text = String::new();
        for item in self.registry.items("").await {
            text.push_str(&format!("{item:?}\n"));
        }
        text
    }
}

#[tokio::test]
async fn owner_makes_a_gated_server_live_with_a_credential_that_nobody_sees() {
    let setup = Setup::start().await;
    let Setup { registry, authorization, server, id, .. } = &setup;
    setup.live().await;
    let status = registry.status(id).await;
    assert_eq!(status["evidence"]["tools"].as_array().unwrap().len(), 2);
    assert_eq!(status["evidence"]["sign_in"]["issuer"], authorization.origin.as_str());
    assert_eq!((registry.live_counts().await, status["probe"]["handshake"].as_str()), ((0, 1), Some("ok")));
    assert!(status["lane_reason"].as_str().unwrap().contains("credential that its owner gave"), "{status}");

    registry.settle();
    let row = registry.get("/api/listings/active").await.body["mcps"][0].clone();
    assert_eq!(row["access"], "gated", "{row}");
    let found = |access: &'static str| async move {
        let hits = registry.get(&format!("/api/match?q=files&{access}")).await.body["hits"].clone();
        hits.as_array().unwrap().len()
    };
    let counts = [found("").await, found("access=open").await, found("access=gated").await];
    assert_eq!(counts, [1, 0, 1], "it is Live, but not open");
    let badge = registry.get(&format!("/badge/gated.svg?id={id}")).await.body;
    assert!(badge.as_str().unwrap().contains("live, with sign-in"), "{badge}");
    let resolved = registry.call_tool("interop_resolve", &json!({ "q": "files" })).await;
    assert!(
        !resolved.to_string().contains(id.as_str()),
        "a caller without a token cannot call it: {resolved}"
    );

    // Only requests to the endpoint contain the token, and only after a refusal.
    let has_token = |request: &&tests::peers::PeerRequest| format!("{request:?}").contains(TOKEN);
    let sent = server.requests().into_iter().filter(|request| has_token(&request)).count();
    assert!(sent >= 2 && server.requests().iter().filter(has_token).all(|request| request.verb == "POST"));
    assert_eq!(authorization.requests().iter().filter(has_token).count(), 0);

    assert_eq!(setup.stored().await, 1);
    assert!(!setup.everything().await.contains(TOKEN), "the token is in the table");
    for path in [
        format!("/api/listings/status?id={id}"),
        format!("/list/{id}"),
        "/api/feed".to_owned(),
        format!("/api/talk?listing_id={id}"),
        "/v0.1/servers?access=all".to_owned(),
        "/api/probes".to_owned(),
    ] {
        let answer = registry.get(&path).await;
        assert!(answer.status == 200 && !answer.body.to_string().contains(TOKEN), "{path}");
    }
}

#[tokio::test]
async fn credential_needs_the_signature_of_the_owner_for_exactly_this_credential() {
    let setup = Setup::start().await;
    let registry = &setup.registry;
    let unsigned = registry.call_tool("manage_listing", &setup.set()).await;
    assert_eq!((&unsigned["done"], setup.stored().await), (&json!(false), 0));
    assert!(!unsigned.to_string().contains(TOKEN), "{unsigned}");
    let stranger = Owner::new(2).with_signature(registry, "manage_listing", &setup.set()).await;
    assert_eq!(setup.refusal(&stranger).await, "signature_mismatch");
    let mut other = setup.owner.with_signature(registry, "manage_listing", &setup.set()).await;
    other["credential"] = json!("another-token-for-probes");
    assert_eq!(setup.refusal(&other).await, "challenge_of_another_act");
    assert_eq!(setup.stored().await, 0);

    // A publish request cannot contain one.
    let mut plain = described(&setup.server.url("/mcp"));
    plain["credential"] = json!(TOKEN);
    let published = registry.post("/api/publish", &plain).await;
    assert!(!published.body.to_string().contains(TOKEN), "{published:?}");
    assert!(!setup.everything().await.contains(TOKEN), "the token is in the table");
    let wrapped = json!({ "server_json": described(&setup.server.url("/mcp")), "credential": TOKEN });
    registry.post("/api/publish", &wrapped).await;
    assert!(!setup.everything().await.contains(TOKEN), "the token is in the table");
    assert_eq!((setup.stored().await, registry.lane(&setup.id).await.as_str()), (0, "gated"));

    let with = |act: &str, credential: Value| json!({ "listing_id": setup.id, "act": act, "credential": credential });
    for (arguments, code) in [
        (with("set_credential", json!(null)), "credential_missing"),
        (with("set_credential", json!("short")), "bad_length"),
        (with("set_credential", json!("x".repeat(4001))), "bad_length"),
        (with("set_credential", json!("Bearer a-token-for-probes")), "not_a_token"),
        (with("set_credential", json!("a-token\r\nx-evil: 1234567")), "not_a_token"),
        (with("reprobe", json!(TOKEN)), "credential_without_set_credential"),
    ] {
        assert_eq!(setup.refusal(&arguments).await, code, "{arguments}");
    }
    let agent = Peer::start(agents::newest).await;
    let card = registry.live_card(&agent.card()).await;
    let of_agent = json!({ "listing_id": card, "act": "set_credential", "credential": TOKEN });
    assert_eq!(setup.refusal(&of_agent).await, "no_mcp_endpoint");
}

#[tokio::test]
async fn deleted_credential_ends_live_after_its_rechecks() {
    let setup = Setup::start().await;
    let Setup { registry, id, .. } = &setup;
    setup.live().await;
    registry.advance_to(recheck_at(registry, id).await);
    registry.recheck().await;
    assert_eq!(registry.lane(id).await, "active", "the recheck uses the credential");

    let delete = json!({ "listing_id": id, "act": "delete_credential" });
    registry.advance(HOUR);
    assert_eq!(setup.act(&delete).await["changed"], true);
    assert_eq!((setup.stored().await, setup.act(&delete).await["changed"].clone()), (0, json!(false)));
    for _ in 0..3 {
        registry.advance(HOUR);
        registry.recheck().await;
    }
    let status = registry.status(id).await;
    assert_eq!((&status["lane"], registry.live_counts().await), (&json!("gated"), (0, 0)), "{status}");
}

#[tokio::test]
async fn refused_credential_is_reported_to_the_owner() {
    let setup = Setup::start().await;
    let registry = &setup.registry;
    let mut other = setup.set();
    other["credential"] = json!("a-token-that-has-expired");
    setup.act(&other).await;
    registry.deliver_events().await;
    assert_eq!(registry.lane(&setup.id).await, "gated");
    assert_eq!(registry.reason_codes(&setup.id).await, ["auth_required", "credential_refused"]);
    let status = registry.status(&setup.id).await;
    assert!(!status.to_string().contains("a-token-that-has-expired"), "{status}");
    // The owner replaces it.
    registry.advance(TICK);
    setup.live().await;
}

#[tokio::test]
async fn credential_is_dropped_with_the_listing_and_with_its_url() {
    let owner_act = |setup: &Setup, act: &str| json!({ "listing_id": setup.id, "act": act });
    // By its owner.
    let setup = Setup::start().await;
    setup.live().await;
    setup.act(&owner_act(&setup, "withdraw")).await;
    assert_eq!(setup.stored().await, 0);
    setup.registry.advance(TICK);
    setup.act(&owner_act(&setup, "restore")).await;
    setup.registry.deliver_events().await;
    assert_eq!(setup.registry.lane(&setup.id).await, "gated", "it was not kept for later");
    // By the operator: one listing, and a host.
    for command in [
        json!({ "command": "withdraw", "listing_id": setup.id, "reason": "Spam." }),
        json!({ "command": "block_host", "host": "127.0.0.1", "reason": "Spam." }),
    ] {
        let setup = Setup::start().await;
        setup.live().await;
        setup.registry.run("operator", command.clone()).await;
        assert_eq!(
            (setup.stored().await, setup.registry.lane(&setup.id).await.as_str()),
            (0, "withdrawn"),
            "{command}"
        );
    }
    // By a move to another URL.
    let setup = Setup::start().await;
    setup.live().await;
    let registry = &setup.registry;
    let mut moved = described(&setup.server.url("/other"));
    registry.post("/api/publish", &moved).await;
    assert_eq!(setup.stored().await, 1, "a stranger cannot move it");
    moved = json!({ "server_json": moved, "proof": {} });
    let challenge = registry.post("/api/publish", &moved).await.body["challenge"].clone();
    moved["proof"] = json!({ "nonce": challenge["nonce"],
        "signature": setup.owner.sign(challenge["text"].as_str().unwrap()) });
    let published = registry.post("/api/publish", &moved).await;
    assert_eq!((published.status, setup.stored().await), (200, 0), "{published:?}");
    registry.advance(TICK);
    setup.server.forget_requests();
    registry.tick().await;
    let requests = setup.server.requests();
    let mut elsewhere = requests.iter().filter(|request| request.path == "/other").peekable();
    assert!(elsewhere.peek().is_some(), "the new URL was not probed");
    assert!(elsewhere.all(|request| request.header("authorization").is_none()));
}

/// A copy of the stored credential at another listing cannot be opened.
#[tokio::test]
async fn stored_credential_is_bound_to_its_listing() {
    let setup = Setup::start().await;
    setup.live().await;
    let Setup { registry, id, .. } = &setup;
    let other: ListingId = "mcp-org-example-other".parse().unwrap();
    let item = registry.items("CREDENTIAL#").await.pop().unwrap();
    let (pk, value) = (format!("CREDENTIAL#{other}"), item["credential"].clone());
    registry.overwrite(&pk, "CREDENTIAL", "credential", value).await;
    assert!(registry.app.open_credential(id).await.unwrap().is_some());
    assert!(registry.app.open_credential(&other).await.is_err());
}

/// The messages of an A2A task are stored, without the credential.
#[tokio::test]
async fn credential_in_a_message_is_not_stored_with_the_task() {
    let setup = Setup::start().await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    for arguments in
        [setup.set(), setup.owner.with_signature(&setup.registry, "manage_listing", &setup.set()).await]
    {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": {
            "messageId": "m-1", "role": "ROLE_USER",
            "parts": [{ "data": { "operation": "manage_listing", "arguments": arguments } }] } } });
        let answer = setup.registry.post("/api/a2a", &call).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        seen.lock().unwrap().push(answer.body);
    }
    assert_eq!(setup.stored().await, 1, "{seen:?}");
    assert!(!setup.everything().await.contains(TOKEN), "the token is in the table");
}

/// A server whose description requires a secret header is probed once there is a credential.
#[tokio::test]
async fn server_that_needs_a_secret_header_becomes_live_with_a_credential() {
    let setup = Setup::start().await;
    let registry = &setup.registry;
    let server = Peer::start(gated(&setup.authorization.origin)).await;
    let mut document = described(&server.url("/mcp"));
    document["name"] = json!("org.example/secret");
    document["remotes"][0]["headers"] =
        json!([{ "name": "Authorization", "isRequired": true, "isSecret": true }]);
    let id = id_of(&registry.publish(&document).await);
    registry.deliver_events().await;
    assert_eq!(registry.reason_codes(&id).await, ["needs_config"]);
    registry.advance(TICK);
    setup.act(&json!({ "listing_id": id, "act": "set_credential", "credential": TOKEN })).await;
    registry.deliver_events().await;
    assert_eq!(registry.lane(&id).await, "active", "{}", registry.status(&id).await);
}
