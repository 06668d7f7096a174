//! `check_status`: where a listing stands, with the evidence of its last probe.

use serde_json::json;
use tests::peers::{Peer, agents};
use tests::test_registry::{TestRegistry, id_of, told};

#[tokio::test]
async fn an_agent_of_1_0_goes_live_with_its_evidence() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let answer =
        registry.publish(&json!({ "agent_card_url": peer.card(), "contact_email": "a@example.org" })).await;
    let (id, base) = (id_of(&answer), registry.url(""));
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
    registry.deliver_events().await;
    let mut status = registry.status(&id).await;
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
        peer.request_names(),
        ["GET /.well-known/agent-card.json", "GetTask", "SendMessage"],
        "a probe is cheap"
    );
}
