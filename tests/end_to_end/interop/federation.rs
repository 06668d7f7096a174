//! Tests federation between two registries. A registry returns the listings of the other registry as
//! referrals, never as its own listings.

use std::time::Duration;

use tests::prelude::*;

use super::TOKEN;
use crate::fixtures::{AGENT, LivePair, live_pair, values_of};

const FEDERATION: &str = "/api/products/federation";

async fn registry_with_peer(peer: &str) -> TestRegistry {
    let options = TestOptions::default().with_setting("OPERATOR_TOKEN", TOKEN);
    TestRegistry::start_with(options.with_setting("FEDERATION_PEERS", peer)).await
}

#[tokio::test]
async fn listings_of_peer_registries_are_returned_as_referrals() {
    let LivePair { registry: other, .. } = live_pair().await;
    let base = other.url("");
    let base = base.trim_end_matches('/');
    let registry = registry_with_peer(base).await;
    let before = registry.get("/api/ard/search?q=weather").await.body;
    assert_eq!(before["referrals"], json!([]), "there are referrals before the first pull");
    let pull = json!({ "action": "pull" });
    let pulled = registry.post_with_token(FEDERATION, TOKEN, &pull).await.ok();
    assert_eq!(pulled["peers"][0]["url"], base);
    assert!(pulled["referrals"].as_u64().unwrap() >= 2, "{pulled}");

    let found = registry.settled("/api/ard/search?q=weather").await;
    let referred = json!({ "total": 0, "hits": [], "federation": "auto", "/referrals/0/name": "Nimbus",
        "/referrals/0/peer": base, "/registries/0/url": format!("{base}/api/ard/") });
    assert_members(&found, &referred);
    let none = registry.call_tool("ard_search", &json!({ "q": "weather", "federation": "none" })).await;
    assert_members(&none, &json!({ "referrals": [], "federation": "none" }));
    let matched = registry.call_tool("match_capability", &json!({ "q": "weather" })).await;
    assert_eq!(values_of(&matched["referrals"], "name"), ["Nimbus"]);

    // The standard response refers to the peer registry, which answers the same request.
    let search = |mode: &str| json!({ "query": { "text": "weather" }, "federation": mode });
    let standard = registry.post("/api/ard/search", &search("referrals")).await.body;
    let referral = &standard["referrals"][0];
    assert_eq!(referral["type"], "application/ai-registry+json", "{standard}");
    let path = other.path_of(&referral["url"]);
    let answer = other.post(&format!("{path}search"), &search("none")).await.body;
    assert_eq!(answer["results"][0]["displayName"], "Nimbus");
    assert_eq!(registry.post("/api/ard/search", &search("none")).await.body.get("referrals"), None);

    assert_eq!(registry.live_counts().await, (0, 0), "a referral was counted as a listing");
    let overview = json!({ "/peers/0/failure": null, "referrals": pulled["referrals"] });
    assert_members(&registry.get(FEDERATION).await.body, &overview);
}

#[tokio::test]
async fn federation_reads_peers_once_a_day_and_keeps_referrals_after_a_failure() {
    let entry = json!({ "identifier": "urn:air:a.example.org:agent:a", "displayName": "Chess player",
        "type": AGENT, "url": "https://a.example.org/card.json" });
    let catalog = json!({ "specVersion": "1.0", "host": { "displayName": "Elsewhere" }, "entries": [entry] });
    let peer = Peer::start(move |request| match request.path.as_str() {
        "/.well-known/ai-catalog.json" => json_answer(200, &catalog),
        _ => empty(404),
    })
    .await;
    let registry = registry_with_peer(&peer.url("")).await;
    for (wait, asked) in [(Duration::ZERO, 1), (HOUR, 0), (DAY, 1)] {
        registry.advance(wait);
        assert_eq!(registry.reach_out().await["peers_asked"], asked, "{wait:?} later");
        let found = registry.get("/api/ard/search?q=chess").await.body;
        assert_eq!(values_of(&found["referrals"], "name"), ["Chess player"]);
        peer.answer_with(agents::only(503));
    }
    let status = registry.get(FEDERATION).await.body["peers"][0].clone();
    assert_members(&status, &json!({ "failure": "status_503", "referrals": 1 }));
}

#[tokio::test]
async fn only_the_operator_can_pull_from_and_push_to_peers() {
    let other = TestRegistry::start().await;
    let base = other.url("");
    let base = base.trim_end_matches('/');
    let registry = registry_with_peer(base).await;
    let send = async |token: &str, body: Value| registry.post_with_token(FEDERATION, token, &body).await;
    for action in ["pull", "push"] {
        let body = json!({ "action": action });
        assert_eq!(registry.post(FEDERATION, &body).await.status, 401, "{action}");
        assert_eq!(send("another-token-of-thirty-two-characters", body).await.status, 403);
        let elsewhere = json!({ "action": action, "url": "https://elsewhere.example.org" });
        send(TOKEN, elsewhere).await.assert_refused(422, "unknown_peer");
    }
    let pushed = send(TOKEN, json!({ "action": "push", "url": base })).await.ok()["peers"][0].clone();
    assert_eq!(pushed["ok"], true, "{pushed}");
    assert_eq!(other.lane(&id_of(&pushed)).await, "queued");

    let alone = TestRegistry::start_with_setting("OPERATOR_TOKEN", TOKEN).await;
    let refused = alone.post_with_token(FEDERATION, TOKEN, &json!({ "action": "push" })).await;
    refused.assert_refused(409, "no_peers");
    assert_eq!(alone.get(FEDERATION).await.body["peers"], json!([]));
}
