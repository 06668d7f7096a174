//! From one POST to Live: a publisher sends a URL, the probe answers, and every surface tells the same story with
//! its evidence.

use http::header;
use serde_json::{Value, json};
use tests::peers::{Peer, agents, servers};
use tests::world::{Wish, World, id_of, told};

/// A published peer on its way to Live through a world, and what its status tells then.
async fn brought_to_live(world: &World, body: Value) -> Value {
    let answer = world.publish(&body).await;
    assert_eq!((&answer["status"], &answer["lane"]), (&json!("queued"), &json!("queued")));
    let id = id_of(&answer);
    let waiting = world.status(&id).await;
    assert_eq!((&waiting["lane"], &waiting["next"]["action"]), (&json!("queued"), &json!("poll")));
    assert!(
        waiting.get("probe").is_none() && waiting["reasons"] == json!([]),
        "never probed is not unhealthy"
    );
    let delivered = world.deliver().await;
    assert_eq!(delivered[0]["detail"]["listing_id"], answer["listing_id"]);
    let status = world.status(&id).await;
    assert_eq!(status["lane"], "active", "{status}");
    let kinds: Vec<Value> = world.events().iter().map(|event| event["detail-type"].clone()).collect();
    assert_eq!(kinds, ["listing.live"]);
    status
}

#[tokio::test]
async fn an_agent_of_1_0_goes_live_with_its_evidence() {
    let (world, peer) = (World::start().await, Peer::start(agents::newest).await);
    let answer =
        world.publish(&json!({ "agent_card_url": peer.card(), "contact_email": "a@example.org" })).await;
    let (id, base) = (id_of(&answer), world.url(""));
    let names = [(id.as_str(), "[id]"), (base.as_str(), "[base]"), (peer.origin.as_str(), "[peer]")];
    insta::assert_snapshot!(told(&answer, &names), @r#"
    {
      "ok": true,
      "listing_id": "[id]",
      "kind": "agent",
      "lane": "queued",
      "status": "queued",
      "message": "Listed and queued; the first probe follows at once.",
      "status_url": "[base]/api/listings/status?id=[id]",
      "poll": {
        "url": "[base]/api/listings/status?id=[id]",
        "interval_s": 2
      },
      "badge_markdown": "[![Agent and MCP Registry]([base]/badge/clean.svg?id=[id])]([base]/api/listings/status?id=[id])",
      "next": {
        "action": "check_status",
        "method": "GET",
        "url": "[base]/api/listings/status?id=[id]",
        "note": "Poll until lane is `active`, or `needs_fix` with reasons that say what to change."
      }
    }
    "#);
    world.deliver().await;
    let mut status = world.status(&id).await;
    // It is spread by the id, which hangs on the port.
    let recheck_at = status.as_object_mut().unwrap().remove("recheck_at").unwrap();
    assert!(recheck_at.as_str().unwrap().starts_with("2026-11-2"), "{recheck_at}");
    insta::assert_snapshot!(told(&status, &names), @r#"
    {
      "ok": true,
      "found": true,
      "listing_id": "[id]",
      "id": "[id]",
      "kind": "agent",
      "name": "Adder",
      "description": "Adds two numbers and tells their sum.",
      "lane": "active",
      "lane_reason": "Live: it answered a real handshake, and its checks are clean.",
      "probe": {
        "ok": true,
        "handshake": "ok",
        "score": "[score]",
        "probed_at": "2026-11-20T12:00:01.000Z",
        "target": "[peer]/rpc",
        "latency_ms": "[latency_ms]",
        "age_hours": 0.0
      },
      "reasons": [],
      "next": {
        "action": "take_demo",
        "method": "POST",
        "url": "[base]/api/products/demo",
        "note": "Live. Send take_demo as it stands for the free demo."
      },
      "checks_clean": true,
      "checks": [
        {
          "id": "https",
          "ok": false,
          "blocking": false,
          "detail": "[peer]/.well-known/agent-card.json is not served over https."
        },
        {
          "id": "card_valid",
          "ok": true,
          "blocking": true,
          "detail": "The agent card is valid."
        },
        {
          "id": "interface_domain",
          "ok": true,
          "blocking": true,
          "detail": "The card and its endpoint are under one domain."
        },
        {
          "id": "text_sane",
          "ok": true,
          "blocking": true,
          "detail": "Names and texts are plain text of sane length."
        },
        {
          "id": "no_injection",
          "ok": true,
          "blocking": true,
          "detail": "No text gives instructions to whoever's model reads it."
        },
        {
          "id": "endpoint_unique",
          "ok": true,
          "blocking": true,
          "detail": "No other listing has this endpoint."
        },
        {
          "id": "tools_unchanged",
          "ok": true,
          "blocking": false,
          "detail": "The tools are those of the last look."
        }
      ],
      "score_breakdown": [
        {
          "id": "handshake",
          "points": 40,
          "of": 40,
          "why": "The handshake was completed."
        },
        {
          "id": "answers",
          "points": 10,
          "of": 10,
          "why": "A message was answered."
        },
        {
          "id": "latency",
          "points": "[points]",
          "of": 10,
          "why": "[why]"
        },
        {
          "id": "protocol",
          "points": 10,
          "of": 10,
          "why": "The newest version spoken is 1.0."
        },
        {
          "id": "description",
          "points": 3,
          "of": 5,
          "why": "The description has 37 characters."
        },
        {
          "id": "abilities",
          "points": 8,
          "of": 8,
          "why": "1 of 1 skills are described."
        },
        {
          "id": "identity",
          "points": 7,
          "of": 7,
          "why": "Name, version and a page about it are given."
        },
        {
          "id": "checks",
          "points": 7,
          "of": 10,
          "why": "Failed: https."
        }
      ],
      "evidence": {
        "speaks": true,
        "answers": true,
        "inconclusive": false,
        "signals": [
          "card_ok",
          "task_not_found_answered",
          "message_answered"
        ],
        "protocol_hints": [
          "a2a/1.0",
          "jsonrpc"
        ],
        "protocol_versions": [
          "1.0"
        ],
        "skills": [
          {
            "id": "add",
            "name": "Add",
            "description": "Adds two numbers.",
            "tags": [
              "math"
            ]
          }
        ],
        "tools": []
      },
      "take_demo": {
        "name": "Free demo for Adder",
        "description": "Makes artifacts from this listing's own card and probe evidence; free, no account.",
        "listing_id": "[id]",
        "kind": "agent",
        "sku": "alive",
        "method": "POST",
        "url": "[base]/api/products/demo",
        "headers": {
          "content-type": "application/json",
          "accept": "application/json"
        },
        "body": {
          "listing_id": "[id]",
          "kind": "agent",
          "name": "Adder",
          "sku": "alive",
          "agent_card_url": "[peer]/.well-known/agent-card.json",
          "description": "Adds two numbers and tells their sum."
        },
        "curl": "curl -X POST [base]/api/products/demo -H 'content-type: application/json' -d '{\"listing_id\":\"[id]\"}'",
        "deal": {
          "name": "founding_free_100",
          "seats": 100,
          "claimed": 0,
          "remaining": 100,
          "percent_off": 100,
          "no_stripe": true,
          "path": [
            "Be Live",
            "Take the demo",
            "Send feedback",
            "Receive an access token"
          ],
          "one_liner": "The first 100 listings to finish demo and feedback receive a full product, free and without checkout.",
          "short": "100 of 100 founding seats left",
          "for_active": "Any Live listing, agent or MCP server; one seat each."
        },
        "next_after_demo": {
          "step": "feedback",
          "method": "POST",
          "url": "[base]/api/products/feedback",
          "note": "Send next_steps.example_body of the demo's answer, with your own answers in it."
        },
        "funnel": [
          "active_live",
          "demo",
          "feedback",
          "free_full_or_25pct",
          "use_no_stripe"
        ]
      },
      "badge_markdown": "[![Agent and MCP Registry]([base]/badge/clean.svg?id=[id])]([base]/api/listings/status?id=[id])"
    }
    "#);
    assert_eq!(
        peer.whats(),
        ["GET /.well-known/agent-card.json", "GetTask", "SendMessage"],
        "a probe is cheap"
    );
}

#[tokio::test]
async fn an_agent_of_0_3_goes_live() {
    let (world, peer) = (World::start().await, Peer::start(agents::older).await);
    let status = brought_to_live(&world, json!({ "url": peer.card() })).await;
    assert_eq!(status["name"], "Echo");
    assert_eq!(status["evidence"]["protocol_versions"], json!(["0.3"]));
    assert_eq!(status["evidence"]["answers"], true);
    assert_eq!(status["probe"]["target"], peer.url("/a2a"));
}

#[tokio::test]
async fn an_mcp_server_of_2026_07_28_goes_live() {
    let (world, peer) = (World::start().await, Peer::start(servers::modern).await);
    let status = brought_to_live(&world, json!({ "mcp_url": peer.url("/mcp") })).await;
    let (id, base) = (id_of(&status), world.url(""));
    let names = [(id.as_str(), "[id]"), (base.as_str(), "[base]"), (peer.origin.as_str(), "[peer]")];
    insta::assert_snapshot!(told(&status["evidence"], &names), @r#"
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
      "tools_hash": "2246f2519bdcc31669b587ca85bff6691a3044cbbff2e0b6f41151448953aead"
    }
    "#);
    assert_eq!((&status["kind"], &status["name"]), (&json!("mcp"), &json!("Adder")));
    assert_eq!(peer.whats(), ["server/discover", "tools/list", "initialize"], "no tool is called");
}

#[tokio::test]
async fn an_mcp_server_with_sessions_and_event_streams_goes_live() {
    let (world, peer) = (World::start().await, Peer::start(servers::legacy).await);
    let status = brought_to_live(&world, json!({ "mcp_url": peer.url("/mcp") })).await;
    assert_eq!((&status["kind"], &status["name"]), (&json!("mcp"), &json!("Clerk")));
    assert_eq!(status["evidence"]["protocol_versions"], json!(["2025-06-18"]));
    let signals = status["evidence"]["signals"].as_array().unwrap();
    assert!(signals.contains(&json!("session_id")) && signals.contains(&json!("sse_answer")), "{signals:?}");
    assert!(
        peer.asked().iter().all(|asked| asked.verb == "POST"),
        "a session is never ended by the registry"
    );
}

#[tokio::test]
async fn a_server_description_goes_live_under_its_name() {
    let (world, peer) = (World::start().await, Peer::start(servers::modern).await);
    let body = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "org.example/adder", "title": "The Adder", "description": "Adds what it is given.",
        "version": "3.1.0", "remotes": [{ "type": "streamable-http", "url": peer.url("/mcp") }],
    });
    let status = brought_to_live(&world, body).await;
    assert_eq!(status["listing_id"], "mcp-org-example-adder");
    assert_eq!(status["name"], "The Adder", "the publisher's own words stay");
    for name in ["org.example/adder", "the  ADDER"] {
        let found = world.get(&format!("/api/listings/status?name={}", name.replace(' ', "%20"))).await;
        assert_eq!((found.status, &found.body["listing_id"]), (200, &status["listing_id"]), "{name}");
    }
}

#[tokio::test]
async fn a_bare_site_settles_its_kind_by_the_probe() {
    let world = World::start().await;
    let (agent, server) = (Peer::start(agents::newest).await, Peer::start(servers::modern).await);
    for (peer, kind, path) in [(&agent, "agent", ""), (&server, "mcp", "/some/path")] {
        let answer = world.publish(&json!({ "url": peer.url(path) })).await;
        assert_eq!(answer["kind"], Value::Null, "nothing is fetched by publish");
        world.deliver().await;
        let status = world.status(&id_of(&answer)).await;
        assert_eq!((&status["kind"], &status["lane"]), (&json!(kind), &json!("active")), "{status}");
    }
    assert_eq!(world.counts().await, (1, 1));
}

#[tokio::test]
async fn every_surface_tells_the_same_story() {
    for wish in [Wish::default(), Wish::default().as_events()] {
        let world = World::with(wish).await;
        let (agent, server) = (Peer::start(agents::newest).await, Peer::start(servers::legacy).await);
        let (agent_id, server_id) =
            (world.publish_card(&agent.card()).await, world.publish_mcp(&server.url("/mcp")).await);
        assert_eq!(world.counts().await, (0, 0));
        world.deliver().await;

        let active = world.get("/api/listings/active").await.body;
        assert_eq!(active["counts"], json!({ "agents_active": 1, "mcp_active": 1 }));
        for (rows, id, handshake) in [("agents", &agent_id, "ok"), ("mcps", &server_id, "ok")] {
            let row = &active[rows][0];
            assert_eq!((&row["listing_id"], &row["probe"]["handshake"]), (&json!(id), &json!(handshake)));
            assert_eq!(
                (&row["talk"]["mode"], &row["activation"]["stage"]),
                (&json!("grace"), &json!("live"))
            );
        }
        assert_eq!(world.feed().await, ["listing_live", "listing_live", "listing_queued", "listing_queued"]);
        for (badge, id, word) in [
            ("clean", &agent_id, "clean"),
            ("live.svg", &agent_id, "live"),
            ("verified", &server_id, "verified handshake"),
            ("mcp", &agent_id, "not an mcp server"),
        ] {
            let image = world.get(&format!("/badge/{badge}?id={id}")).await;
            assert!(
                image.body.as_str().unwrap().contains(&format!(": {word}</title>")),
                "{badge}: {image:?}"
            );
            assert_eq!(image.header("content-type"), "image/svg+xml; charset=utf-8");
        }
        let statistics = world.probes().await;
        assert_eq!((&statistics["used"], &statistics["outcomes"]["handshake"]["ok"]), (&json!(2), &json!(2)));
        let discovery = world.get("/discovery.json").await.body;
        assert_eq!(discovery["probes"]["live_active"]["total"], 2);
        assert_eq!(discovery["probes"]["by_kind_today"], json!({ "agents": 1, "mcps": 1 }));
        let next = &world.status(&agent_id).await["next"];
        assert_eq!(
            (&next["action"], &next["url"]),
            (&json!("take_demo"), &json!(world.url("/api/products/demo")))
        );
    }
}

#[tokio::test]
async fn a_contact_address_is_shown_nowhere() {
    let (world, peer) = (World::start().await, Peer::start(agents::newest).await);
    let body = json!({ "url": peer.card(), "contact_email": "secret.person@example.org", "source": "word of mouth" });
    let id = id_of(&world.publish(&body).await);
    world.deliver().await;
    assert_eq!(world.table().await.under("CONTACT#").len(), 1, "it is kept");
    for path in [
        "/api/listings/active",
        "/api/feed",
        "/api/probes",
        "/discovery.json",
        "/api/listings/status?name=Adder",
    ] {
        let reply = world.get(path).await;
        assert_eq!(reply.status, 200);
        assert!(!reply.body.to_string().contains("secret.person"), "{path}");
    }
    assert!(!world.status(&id).await.to_string().contains("secret.person"));
}

#[tokio::test]
async fn publishing_again_is_a_duplicate_or_already_active() {
    let (world, peer) = (World::start().await, Peer::start(agents::newest).await);
    let body = json!({ "url": peer.card() });
    let first = world.publish(&body).await;
    let again = world.publish(&json!({ "agent_card_url": format!("  {}#top ", peer.card()) })).await;
    assert_eq!((&again["listing_id"], &again["status"]), (&first["listing_id"], &json!("duplicate")));
    world.deliver().await;
    let live = world.publish(&json!({ "url": peer.card(), "name": "Somebody else's name" })).await;
    assert_eq!((&live["status"], &live["lane"]), (&json!("active"), &json!("active")));
    assert_eq!(world.status(&id_of(&live)).await["name"], "Adder", "what is Live is nobody's to rename");
    assert_eq!(world.feed().await, ["listing_live", "listing_queued"], "one item for one listing");
    assert_eq!(world.counts().await, (1, 0));
}

#[tokio::test]
async fn a_server_name_is_kept_for_its_first_live_owner() {
    let world = World::start().await;
    let (owner, squatter) = (Peer::start(servers::modern).await, Peer::start(servers::legacy).await);
    let describe = |peer: &Peer| {
        json!({ "name": "org.example/adder", "description": "Adds.", "version": "1.0.0",
            "remotes": [{ "type": "streamable-http", "url": peer.url("/mcp") }] })
    };
    let first = id_of(&world.publish(&describe(&owner)).await);
    world.deliver().await;
    let second = id_of(&world.publish(&describe(&squatter)).await);
    world.deliver().await;
    assert_ne!(first, second);
    assert!(second.as_str().starts_with("mcp-org-example-adder-"));
    assert_eq!(world.status(&first).await["probe"]["target"], owner.url("/mcp"), "the first is untouched");
    assert_eq!(world.counts().await, (0, 2));
}

#[tokio::test]
async fn a_score_asks_and_lists_nothing() {
    let (world, peer) = (World::start().await, Peer::start(agents::newest).await);
    let score = world.get(&format!("/api/score?url={}", peer.card())).await;
    assert_eq!((score.status, &score.body["would_go_live"]), (200, &json!(true)), "{score:?}");
    let points = |part: &Value| part["points"].as_u64().unwrap();
    let sum: u64 = score.body["breakdown"].as_array().unwrap().iter().map(points).sum();
    assert_eq!(score.body["score"], sum);
    assert_eq!(
        peer.whats(),
        ["GET /.well-known/agent-card.json", "GetTask"],
        "anybody may ask: no message is sent"
    );
    assert_eq!(world.table().await.keys(), [""; 0], "nothing is kept");
}

#[tokio::test]
async fn the_registry_answers_any_origin_and_compresses_what_is_long() {
    let world = World::start().await;
    let reply = world.get_with("/api/listings/active", ("origin", "https://page.example.org")).await;
    assert_eq!(reply.header(header::ACCESS_CONTROL_ALLOW_ORIGIN.as_str()), "*");
    for path in
        ["/api/listings/active", "/api/feed", "/api/probes", "/discovery.json", "/badge/live", "/nothing"]
    {
        let reply = world.get(path).await;
        assert_eq!(reply.header("x-request-id").len(), 32, "{path}");
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
    }
}
