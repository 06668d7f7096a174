//! Tests the answer to an accepted submission.

use serde_json::json;
use tests::peers::{Peer, agents};
use tests::test_registry::{TestRegistry, id_of};

#[tokio::test]
async fn response_contains_the_status_url_to_poll() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let body = json!({ "agent_card_url": peer.card(), "contact_email": "a@example.org" });
    let reply = registry.post("/api/publish", &body).await;
    let (id, base) = (id_of(&reply.body), registry.url(""));
    let names = [(id.as_str(), "[id]"), (base.as_str(), "[base]")];
    insta::assert_snapshot!(reply.snapshot(&names), @r#"
    HTTP 200
    {
      "ok": true,
      "listing_id": "[id]",
      "kind": "agent",
      "lane": "queued",
      "status": "queued",
      "message": "The listing was created and queued. Its first probe follows at once.",
      "status_url": "[base]/api/listings/status?id=[id]",
      "poll": {
        "url": "[base]/api/listings/status?id=[id]",
        "interval_s": 2
      },
      "badge_markdown": "[![Agent and MCP Registry]([base]/badge/live.svg?id=[id])]([base]/list/[id])",
      "next": {
        "action": "check_status",
        "method": "GET",
        "url": "[base]/api/listings/status?id=[id]",
        "tool": "check_status",
        "arguments": {
          "id": "[id]"
        },
        "wait_s": 2,
        "note": "Poll until `lane` is no longer `queued`. With `needs_fix`, `reasons` says what to change."
      }
    }
    "#);
}
