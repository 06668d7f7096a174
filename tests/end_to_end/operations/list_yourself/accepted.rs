//! Tests the answer to an accepted submission.

use tests::prelude::*;

#[tokio::test]
async fn response_contains_the_status_url_to_poll() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let body = json!({ "agent_card_url": peer.card(), "contact_email": "a@example.org" });
    let reply = registry.post("/api/publish", &body).await;
    let (id, base) = (id_of(&reply.body), registry.url(""));
    let names = [(id.as_str(), "[id]"), (base.as_str(), "[base]")];
    insta::assert_snapshot!(reply.snapshot(&names));
}
