//! Tests that each kind of peer goes Live after one POST.

use serde_json::{Value, json};
use tests::peers::{CARD, Peer, PeerRequest, agents, json_answer, servers};
use tests::test_registry::{TestRegistry, id_of, snapshot_of};

/// Publishes a peer and lets it go Live; returns its status.
async fn publish_until_live(registry: &TestRegistry, body: Value) -> Value {
    let answer = registry.publish(&body).await;
    assert_eq!((&answer["status"], &answer["lane"]), (&json!("queued"), &json!("queued")));
    let id = id_of(&answer);
    let queued = registry.status(&id).await;
    assert_eq!((&queued["lane"], &queued["next"]["action"]), (&json!("queued"), &json!("poll")));
    assert!(
        queued.get("probe").is_none() && queued["reasons"] == json!([]),
        "a listing without a probe has no reasons"
    );
    let delivered = registry.deliver_events().await;
    assert_eq!(delivered[0]["detail"]["listing_id"], answer["listing_id"]);
    let status = registry.status(&id).await;
    assert_eq!(status["lane"], "active", "{status}");
    let kinds: Vec<Value> = registry.events().iter().map(|event| event["detail-type"].clone()).collect();
    assert_eq!(kinds, ["listing.live"]);
    status
}

#[tokio::test]
async fn agent_of_a2a_1_0_goes_live_after_three_requests() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let status = publish_until_live(&registry, json!({ "agent_card_url": peer.card() })).await;
    assert_eq!(status["evidence"]["protocol_versions"], json!(["1.0"]));
    assert_eq!(
        peer.request_names(),
        ["GET /.well-known/agent-card.json", "GetTask", "SendMessage"],
        "a probe sends three requests"
    );
}

#[tokio::test]
async fn agent_of_a2a_0_3_goes_live() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::older).await);
    let status = publish_until_live(&registry, json!({ "url": peer.card() })).await;
    assert_eq!(status["name"], "Echo");
    assert_eq!(status["evidence"]["protocol_versions"], json!(["0.3"]));
    assert_eq!(status["evidence"]["answers"], true);
    assert_eq!(status["probe"]["target"], peer.url("/a2a"));
}

#[tokio::test]
async fn mcp_server_of_2026_07_28_goes_live() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let status = publish_until_live(&registry, json!({ "mcp_url": peer.url("/mcp") })).await;
    let (id, base) = (id_of(&status), registry.url(""));
    let names = [(id.as_str(), "[id]"), (base.as_str(), "[base]"), (peer.origin.as_str(), "[peer]")];
    insta::assert_snapshot!(snapshot_of(&status["evidence"], &names), @r#"
    {
      "speaks": true,
      "answers": null,
      "inconclusive": false,
      "signals": [
        "discover_answered",
        "tools_listed",
        "ok_modern"
      ],
      "protocol_hints": [
        "mcp/2026-07-28",
        "jsonrpc"
      ],
      "protocol_versions": [
        "2026-07-28"
      ],
      "skills": [],
      "tools": [
        {
          "name": "add",
          "description": "The tool add."
        },
        {
          "name": "subtract",
          "description": "The tool subtract."
        }
      ],
      "tools_hash": "sha256:cdf0c241c86f3bd60163cdcb2dd37418d172167030a721ea964487ee89ba90ee"
    }
    "#);
    assert_eq!((&status["kind"], &status["name"]), (&json!("mcp"), &json!("Adder")));
    assert_eq!(peer.request_names(), ["server/discover", "tools/list", "initialize"], "no tool is called");
}

#[tokio::test]
async fn mcp_server_with_sessions_and_streams_goes_live() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::legacy).await);
    let status = publish_until_live(&registry, json!({ "mcp_url": peer.url("/mcp") })).await;
    assert_eq!((&status["kind"], &status["name"]), (&json!("mcp"), &json!("Clerk")));
    assert_eq!(status["evidence"]["protocol_versions"], json!(["2025-06-18"]));
    let signals = status["evidence"]["signals"].as_array().unwrap();
    assert!(signals.contains(&json!("session_id")) && signals.contains(&json!("sse_answer")), "{signals:?}");
    assert!(peer.requests().iter().all(|request| request.verb == "POST"), "the registry ends no session");
}

#[tokio::test]
async fn server_json_goes_live_under_its_name() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let body = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "org.example/adder", "title": "The Adder", "description": "Adds what it is given.",
        "version": "3.1.0", "remotes": [{ "type": "streamable-http", "url": peer.url("/mcp") }],
    });
    let status = publish_until_live(&registry, body).await;
    assert_eq!(status["listing_id"], "mcp-org-example-adder");
    assert_eq!(status["name"], "The Adder", "the published title stays");
    for name in ["org.example/adder", "the  ADDER"] {
        let found = registry.get(&format!("/api/listings/status?name={}", name.replace(' ', "%20"))).await;
        assert_eq!((found.status, &found.body["listing_id"]), (200, &status["listing_id"]), "{name}");
    }
}

#[tokio::test]
async fn probe_determines_the_kind_of_a_plain_url() {
    let registry = TestRegistry::start().await;
    let (agent, server) = (Peer::start(agents::newest).await, Peer::start(servers::modern).await);
    for (peer, kind, path) in [(&agent, "agent", ""), (&server, "mcp", "/some/path")] {
        let answer = registry.publish(&json!({ "url": peer.url(path) })).await;
        assert_eq!(answer["kind"], Value::Null, "publish fetches nothing");
        registry.deliver_events().await;
        let status = registry.status(&id_of(&answer)).await;
        assert_eq!((&status["kind"], &status["lane"]), (&json!(kind), &json!("active")), "{status}");
    }
    assert_eq!(registry.live_counts().await, (1, 1));
}

#[tokio::test]
async fn card_requires_a_list_of_skills_that_may_be_empty() {
    for (skills, lane) in [(json!(null), "needs_fix"), (json!("adds"), "needs_fix"), (json!([]), "active")] {
        let registry = TestRegistry::start().await;
        let card_skills = skills.clone();
        let peer = Peer::start(move |request: &PeerRequest| {
            let mut card = agents::card(request, "Adder");
            card["skills"] = card_skills.clone();
            match (request.verb.as_str(), request.path.as_str()) {
                ("GET", CARD) => json_answer(200, &card),
                _ => agents::speaks_newest(request),
            }
        })
        .await;
        let id = registry.publish_card(&peer.card()).await;
        registry.deliver_events().await;
        let status = registry.status(&id).await;
        assert_eq!(status["lane"], lane, "{skills}: {status}");
        if lane == "needs_fix" {
            assert_eq!(
                (&status["probe"]["handshake"], &status["reasons"][0]["code"]),
                (&json!("partial"), &json!("skills_missing")),
                "{skills}: {status}"
            );
        }
    }
}

/// The published kind is only a hint until the listing is Live, so a stranger who publishes a URL with the wrong kind does
/// not block its owner.
#[tokio::test]
async fn probe_corrects_the_kind_of_a_listing_that_is_not_live() {
    let registry = TestRegistry::start().await;
    let (server, agent) = (Peer::start(servers::modern).await, Peer::start(agents::newest).await);
    let wrong = registry.publish(&json!({ "agent_card_url": server.url("/mcp") })).await;
    let id = id_of(&wrong);
    registry.deliver_events().await;
    let found = registry.status(&id).await;
    assert_eq!((&found["lane"], &found["kind"]), (&json!("active"), &json!("mcp")), "{found}");
    let right = registry.publish(&json!({ "mcp_url": server.url("/mcp") })).await;
    assert_eq!(right["listing_id"], wrong["listing_id"]);

    let wrong = registry.publish(&json!({ "mcp_url": agent.card() })).await;
    registry.deliver_events().await;
    let found = registry.status(&id_of(&wrong)).await;
    assert_eq!((&found["lane"], &found["kind"]), (&json!("active"), &json!("agent")), "{found}");
}

/// The kind of a Live listing is proven, so a failing agent gets no MCP requests.
#[tokio::test]
async fn live_agent_gets_no_mcp_requests() {
    let (registry, peer, id) = crate::fixtures::live_agent().await;
    registry.advance_to(crate::fixtures::recheck_at(&registry, &id).await);
    peer.forget_requests();
    peer.answer_with(agents::only(404));
    registry.recheck().await;
    assert!(
        !peer.request_names().iter().any(|name| name.contains("initialize")),
        "{:?}",
        peer.request_names()
    );
    assert_eq!(registry.status(&id).await["kind"], "agent");
}
