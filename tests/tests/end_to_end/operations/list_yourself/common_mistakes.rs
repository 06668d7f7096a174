//! What keeps a listing from going Live is said, with a fix, and publishing again after the fix heals it.

use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::{TICK, TestRegistry, id_of};

/// What is wrong first, the script that shows it, and the reason told.
type Mistake = (&'static str, fn(&tests::peers::PeerRequest) -> axum::response::Response, &'static str);

const MISTAKES: [Mistake; 5] = [
    ("no card", |_| tests::peers::empty(404), "card_404"),
    (
        "a page for a card",
        |_| axum::response::IntoResponse::into_response(axum::response::Html("<h1>Hi</h1>")),
        "not_a_card",
    ),
    (
        "a card without an interface",
        |asked| {
            let mut card = agents::card(asked, "Adder");
            card["supportedInterfaces"] = json!([]);
            tests::peers::json_answer(200, &card)
        },
        "no_interface",
    ),
    ("a card behind a login", |_| tests::peers::empty(401), "card_401"),
    (
        "an interface that knows no A2A",
        |asked| match asked.verb.as_str() {
            "GET" => agents::newest(asked),
            _ => tests::peers::error(asked, -32601, "Method not found"),
        },
        "unknown_methods",
    ),
];

#[tokio::test]
async fn a_mistake_is_named_and_publishing_again_after_the_fix_heals_it() {
    for (mistake, script, code) in MISTAKES {
        let (registry, peer) = (TestRegistry::start().await, Peer::start(script).await);
        let id = registry.publish_card(&peer.card()).await;
        registry.deliver_events().await;
        let status = registry.status(&id).await;
        assert_eq!(status["lane"], "needs_fix", "{mistake}: {status}");
        let reason = &status["reasons"][0];
        assert_eq!(reason["code"], code, "{mistake}: {status}");
        assert!(reason["fix"].as_str().is_some_and(|fix| fix.len() > 20), "{mistake}: {reason}");
        assert_eq!(status["next"]["action"], "fix_and_publish_again", "{mistake}");
        assert!(status["retry_at"].is_string(), "{mistake}");
        assert_eq!(registry.live_counts().await, (0, 0), "{mistake}");

        peer.answer_with(agents::newest);
        let early = registry.publish(&json!({ "url": peer.card() })).await;
        assert_eq!(
            (&early["status"], early["retry_at"].is_string()),
            (&json!("queued"), true),
            "{mistake}: {early}"
        );
        registry.advance(TICK);
        let again = registry.publish(&json!({ "url": peer.card() })).await;
        assert_eq!(again.get("retry_at"), None, "{mistake}");
        registry.deliver_events().await;
        let healed = registry.status(&id).await;
        assert_eq!(
            (&healed["lane"], &healed["reasons"]),
            (&json!("active"), &json!([])),
            "{mistake}: {healed}"
        );
        assert_eq!((&healed["checks_clean"], &healed["name"]), (&json!(true), &json!("Adder")), "{mistake}");
        assert!(!healed.to_string().contains(code), "{mistake} left a stale note: {healed}");
        assert_eq!(
            registry.feed_types().await,
            ["listing_live", "listing_needs_fix", "listing_queued"],
            "{mistake}"
        );
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_told_so_without_a_question() {
    let registry = TestRegistry::start().await;
    let describe = |name: &str, rest: Value| {
        let mut body =
            json!({ "name": format!("org.example/{name}"), "description": "Adds.", "version": "1.0.0" });
        body.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        body
    };
    let package = json!([{ "registryType": "npm", "identifier": "@example/adder", "version": "1.0.0",
        "transport": { "type": "stdio" } }]);
    let secret = json!([{ "type": "streamable-http", "url": "https://adder.example.org/mcp",
        "headers": [{ "name": "Authorization", "isRequired": true, "isSecret": true }] }]);
    let template = json!([{ "type": "streamable-http", "url": "https://{tenant}.example.org/mcp",
        "variables": { "tenant": { "description": "Yours.", "isRequired": true } } }]);
    for (name, rest, code) in [
        ("local", json!({ "packages": package }), "stdio"),
        ("secret", json!({ "remotes": secret }), "needs_config"),
        ("template", json!({ "remotes": template }), "template"),
    ] {
        let id = id_of(&registry.publish(&describe(name, rest)).await);
        registry.deliver_events().await;
        let status = registry.status(&id).await;
        assert_eq!(
            (&status["lane"], &status["probe"]["handshake"]),
            (&json!("needs_fix"), &json!("skip")),
            "{status}"
        );
        assert_eq!(registry.reason_codes(&id).await, [code]);
    }
    assert_eq!(registry.probe_statistics().await["used"], 0, "nothing was asked, so nothing was spent");
}
