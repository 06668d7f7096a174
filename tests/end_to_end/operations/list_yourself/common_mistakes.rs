//! Tests common mistakes of publishers. If a listing cannot go Live, its status contains the reason and a
//! fix. After the fix, the listing goes Live when it is published again.

use insta::assert_snapshot;
use tests::prelude::*;

use crate::fixtures::{members, shown};

#[tokio::test]
async fn publishing_again_after_a_fix_makes_the_listing_live() {
    type Handler = fn(&PeerRequest) -> axum::response::Response;
    // No card, and an interface without A2A methods.
    let unknown_methods = |request: &PeerRequest| match request.verb.as_str() {
        "GET" => agents::newest(request),
        _ => tests::peers::error(request, -32601, "Method not found"),
    };
    let mistakes: [(Handler, &str); 2] = [(|_| empty(404), "card_404"), (unknown_methods, "unknown_methods")];
    for (handler, code) in mistakes {
        let (registry, peer, id) = crate::fixtures::queued_agent(handler).await;
        let status = registry.probed_status(&id).await;
        assert_eq!(status["reasons"][0]["code"], code, "{status}");
        let talk = registry.get(&format!("/api/talk?listing_id={id}")).await.ok();
        assert!(status["retry_at"].is_string(), "{code}");
        let status = members(&status, &["lane", "reasons", "next"]);
        let answers = json!({ "status": status, "next_actions": talk["next_actions"] });
        assert_snapshot!(shown(&registry, &answers));
        assert_eq!(registry.live_counts().await, (0, 0), "{code}");

        peer.answer_with(agents::newest);
        let early = registry.publish(&json!({ "url": peer.card() })).await;
        let retry_at = &registry.status(&id).await["retry_at"];
        let queued =
            json!({ "status": "queued", "/poll/interval_s": early["next"]["wait_s"], "retry_at": retry_at });
        assert_members(&early, &queued);
        registry.advance(TICK);
        let again = registry.publish(&json!({ "url": peer.card() })).await;
        assert_eq!(again.get("retry_at"), None, "{code}");
        let fixed = registry.probed_status(&id).await;
        let live = json!({ "lane": "active", "reasons": [], "checks_clean": true, "name": "Adder" });
        assert_members(&fixed, &live);
        assert!(!fixed.to_string().contains(code), "an outdated reason is left: {fixed}");
        assert_eq!(registry.feed_types().await, ["listing_live", "listing_needs_fix", "listing_queued"]);
    }
}

#[tokio::test]
async fn servers_that_cannot_be_probed_get_a_reason() {
    let registry = TestRegistry::start().await;
    let describe = |name: &str, rest: Value| {
        let name = format!("org.example/{name}");
        with_members(json!({ "name": name, "description": "Adds.", "version": "1.0.0" }), &rest)
    };
    let package = json!([{ "registryType": "npm", "identifier": "@example/adder", "version": "1.0.0",
        "transport": { "type": "stdio" } }]);
    let secret = json!([{ "type": "streamable-http", "url": "https://adder.example.org/mcp",
        "headers": [{ "name": "Authorization", "isRequired": true, "isSecret": true }] }]);
    let template = json!([{ "type": "streamable-http", "url": "https://{tenant}.example.org/mcp",
        "variables": { "tenant": { "description": "Yours.", "isRequired": true } } }]);
    for (name, rest) in [
        ("local", json!({ "packages": package })),
        ("nothing", json!({})),
        ("secret", json!({ "remotes": secret })),
        ("template", json!({ "remotes": template })),
    ] {
        let id = id_of(&registry.publish(&describe(name, rest)).await);
        let status = registry.probed_status(&id).await;
        // Nothing was probed and nothing was checked, and what was seen is not the reason.
        let found = members(&status, &["lane", "reasons", "warnings", "probe", "checks_clean"]);
        assert_snapshot!(name, shown(&registry, &found));
    }
    assert_eq!(registry.probe_statistics().await["used"], 0, "a probe was sent or counted");
}
