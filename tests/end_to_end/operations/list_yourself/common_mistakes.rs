//! Tests common mistakes of publishers. If a listing cannot go Live, its status contains the reason and a
//! fix. After the fix, the listing goes Live when it is published again.

use serde_json::{Value, json};
use tests::assertions::with_members;
use tests::peers::agents;
use tests::test_registry::{TICK, TestRegistry, id_of};

/// A mistake, the handler of a peer that makes it, and the expected reason code.
type Mistake = (&'static str, fn(&tests::peers::PeerRequest) -> axum::response::Response, &'static str);

const MISTAKES: [Mistake; 2] = [
    ("no card", |_| tests::peers::empty(404), "card_404"),
    (
        "an interface without A2A methods",
        |request| match request.verb.as_str() {
            "GET" => agents::newest(request),
            _ => tests::peers::error(request, -32601, "Method not found"),
        },
        "unknown_methods",
    ),
];

#[tokio::test]
async fn publishing_again_after_a_fix_makes_the_listing_live() {
    for (mistake, handler, code) in MISTAKES {
        let (registry, peer, id) = crate::fixtures::queued_agent(handler).await;
        let status = registry.probed_status(&id).await;
        assert_eq!(status["lane"], "needs_fix", "{mistake}: {status}");
        let reason = &status["reasons"][0];
        assert_eq!(reason["code"], code, "{mistake}: {status}");
        assert!(reason["fix"].as_str().is_some_and(|fix| fix.len() > 20), "{mistake}: {reason}");
        assert_eq!(status["next"]["action"], "fix_and_publish_again", "{mistake}");
        assert!(status["retry_at"].is_string(), "{mistake}");
        assert_eq!(registry.live_counts().await, (0, 0), "{mistake}");
        let talk: Value = registry.get(&format!("/api/talk?listing_id={id}")).await.ok();
        let actions = talk["next_actions"].as_array().unwrap();
        assert_eq!((actions.len(), &actions[0]["action"]), (1, &json!("check_status")), "{mistake}: {talk}");

        peer.answer_with(agents::newest);
        let early = registry.publish(&json!({ "url": peer.card() })).await;
        assert_eq!(early["status"], "queued", "{mistake}: {early}");
        assert!(early["retry_at"].is_string(), "{mistake}: {early}");
        assert_eq!(early["poll"]["interval_s"], early["next"]["wait_s"], "{mistake}: {early}");
        assert_eq!(early["retry_at"], registry.status(&id).await["retry_at"], "{mistake}");
        registry.advance(TICK);
        let again = registry.publish(&json!({ "url": peer.card() })).await;
        assert_eq!(again.get("retry_at"), None, "{mistake}");
        registry.deliver_events().await;
        let fixed = registry.status(&id).await;
        assert_eq!((&fixed["lane"], &fixed["reasons"]), (&json!("active"), &json!([])), "{mistake}: {fixed}");
        assert_eq!((&fixed["checks_clean"], &fixed["name"]), (&json!(true), &json!("Adder")), "{mistake}");
        assert!(!fixed.to_string().contains(code), "{mistake} left an outdated reason: {fixed}");
        let types = registry.feed_types().await;
        assert_eq!(types, ["listing_live", "listing_needs_fix", "listing_queued"], "{mistake}");
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
    for (name, rest, lane, place, code) in [
        ("local", json!({ "packages": package }), "unchecked", "warnings", "package_unchecked"),
        ("nothing", json!({}), "needs_fix", "reasons", "nothing_declared"),
        ("secret", json!({ "remotes": secret }), "needs_fix", "reasons", "needs_config"),
        ("template", json!({ "remotes": template }), "needs_fix", "reasons", "template"),
    ] {
        let id = id_of(&registry.publish(&describe(name, rest)).await);
        let status = registry.probed_status(&id).await;
        assert_eq!(status["lane"], lane, "{status}");
        assert_eq!(status["probe"]["handshake"], "skip", "{status}");
        assert_eq!(status[place][0]["code"], code, "{status}");
        assert_ne!(status[place][0]["seen"], status[place][0]["reason"], "{status}");
        assert_ne!(status["checks_clean"], true, "nothing was checked: {status}");
        assert!(name != "local" || status["probe"].get("target").is_none(), "nothing was probed: {status}");
    }
    assert_eq!(registry.probe_statistics().await["used"], 0, "a probe was sent or counted");
}
