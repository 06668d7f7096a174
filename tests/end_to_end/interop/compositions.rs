//! Tests compositions (pairs of listings that are used together): which listings work with a listing, plans
//! for two listings, proposed pairs, and `join`.

use tests::prelude::*;

use super::{INTEROP, TOKEN, act};
use crate::fixtures::{LivePair, forecaster, live_agent, live_pair};

/// A registry with an agent and a server that match each other, on two hosts.
async fn matching_pair(options: TestOptions) -> (TestRegistry, [Peer; 2], [Value; 2]) {
    let registry = TestRegistry::start_with(options).await;
    let peers =
        [Peer::start(forecaster).await, Peer::start(servers::modern_with(&["forecast_weather"])).await];
    let agent = registry.publish_card(&peers[0].card()).await;
    let elsewhere = peers[1].url("/mcp").replace("127.0.0.1", "localhost");
    let server = registry.publish_mcp(&elsewhere).await;
    assert_eq!(registry.delivered_counts().await, (1, 1));
    (registry, peers, [json!(agent), json!(server)])
}

#[tokio::test]
async fn plan_for_using_two_listings_together_has_a_statement_of_their_reported_uses() {
    let (registry, _peers, [agent, server]) = matching_pair(TestOptions::default()).await;
    let before = registry.call_tool("compose_peers", &json!({ "listing_id": agent })).await;
    assert_members(&before, &json!({ "compositions": [], "/suggestions/0/listing_id": server }));
    let suggestion = &before["suggestions"][0];
    assert!(suggestion["why"].as_str().unwrap().contains('“'), "no word that matched: {suggestion}");
    assert_eq!(suggestion["invoke"]["mcp"]["body"]["params"]["name"], "forecast_weather");

    // A plan is no use.
    let arguments = json!({ "listing_id": agent, "listing_b": server });
    let unused = registry.call_tool("execute_compose", &arguments).await;
    assert_members(&unused, &json!({ "composition_count": 0, "attestation": null }));
    registry.call_tool("used_with", &arguments).await;
    let plan = registry.call_tool("execute_compose", &arguments).await;
    assert_eq!(plan["next"].get("body"), None, "it reports an outcome before the calls");
    let pipeline = &plan["pipeline"];
    assert!(pipeline["id"].as_str().unwrap().starts_with("pipe_"));
    let methods: Vec<&Value> =
        pipeline["steps"].as_array().unwrap().iter().map(|step| &step["call"]["body"]["method"]).collect();
    assert_eq!(methods, [&json!("SendMessage"), &json!("tools/call")]);
    let statement = &plan["attestation"];
    assert_eq!((&statement["type"], &statement["claims"]["reports"]), (&json!("composition"), &json!(1)));
    let verified = registry.call_tool("verify_attestation", &json!({ "jws": statement["jws"] })).await;
    assert_eq!(verified["valid"], true, "{verified}");

    let again = act(&registry, INTEROP, "execute_compose", arguments).await;
    assert_members(&again, &json!({ "composition_count": 1, "/pipeline/id": pipeline["id"] }));
    registry.settle();
    let after = registry.call_tool("compose_peers", &json!({ "listing_id": server })).await;
    let used = json!({ "/compositions/0/peer_focus": agent, "/compositions/0/count": 1, "suggestions": [] });
    assert_members(&after, &used);
}

#[tokio::test]
async fn plan_requires_two_live_listings() {
    let LivePair { registry, agent, server, .. } = live_pair().await;
    for (listing, other, status) in
        [(json!(agent), json!("mcp-unknown"), 404), (json!(agent), json!(agent), 422)]
    {
        let arguments = json!({ "listing_id": listing, "listing_b": other });
        let problem = registry.refused_tool("execute_compose", &arguments).await;
        assert_eq!(problem["status"], status, "{arguments}");
    }
    let queued = registry.publish_card("https://agents.example.com/card.json").await;
    let arguments = json!({ "listing_id": server, "listing_b": queued });
    assert_eq!(registry.refused_tool("execute_compose", &arguments).await["code"], "not_active");
}

#[tokio::test]
async fn only_the_operator_can_store_proposed_pairs_of_listings() {
    let options = TestOptions::default().with_setting("OPERATOR_TOKEN", TOKEN);
    let (registry, _peers, [agent, server]) = matching_pair(options).await;
    let proposed = registry.call_tool("seed_compositions", &json!({ "max_pairs": 2 })).await;
    let expected = json!({ "stored": false, "/pairs/0/listing_a": agent, "/next/body/listing_id": agent });
    assert_members(&proposed, &expected);
    assert_eq!(registry.get(INTEROP).await.body["compositions"], json!([]));
    let seed = json!({ "action": "seed_compositions" });
    let refused = registry.post_with_token(INTEROP, "not-the-operators-token-not-at-all", &seed).await;
    assert_eq!(refused.status, 403);
    let stored = registry.post_with_token(INTEROP, TOKEN, &seed).await;
    assert_eq!((stored.status, &stored.body["stored_count"]), (200, &json!(1)), "{stored:?}");
    registry.settle();
    let edge = registry.get(INTEROP).await.body["compositions"][0].clone();
    assert_eq!((&edge["seeded"], &edge["count"]), (&json!(true), &json!(0)), "{edge}");
    let again = registry.post_with_token(INTEROP, TOKEN, &seed).await;
    assert_eq!(again.body["stored_count"], 0, "the pair was stored twice");
    assert_eq!(registry.get(INTEROP).await.body["graph"]["compositions"], 0, "a seed was counted as used");
    let peers = registry.call_tool("compose_peers", &json!({ "listing_id": agent })).await;
    assert_eq!(peers["compositions"], json!([]), "a seeded pair was shown as used: {peers}");
    let graph = registry.call_tool("get_reciprocity", &json!({ "listing_id": agent })).await["graph"].clone();
    assert_eq!(graph["edges"], json!([]), "a seeded pair was shown as used: {graph}");
    let statement = json!({ "type": "composition", "listing_id": agent, "listing_b": server });
    assert_eq!(registry.refused_tool("attest", &statement).await["code"], "no_composition");

    let evaporate = json!({ "action": "evaporate", "listing_id": agent });
    let gone = registry.post_with_token("/api/products/stigmergy", TOKEN, &evaporate).await;
    assert_eq!(gone.body["compositions"], 1, "{gone:?}");
    registry.call_tool("used_with", &json!({ "listing_id": agent, "listing_b": server })).await;
    registry.settle();
    let overview = registry.get(INTEROP).await.body;
    let seeded = &overview["compositions"][0]["seeded"];
    assert_eq!((seeded, &overview["graph"]["compositions"]), (&json!(false), &json!(1)));
}

#[tokio::test]
async fn join_action_publishes_the_url_and_returns_possible_contributions() {
    let registry = TestRegistry::start().await;
    let peer = Peer::start(forecaster).await;
    let body = json!({ "url": peer.card(), "source": "a test" });
    let joined = act(&registry, INTEROP, "join_and_contribute", body).await;
    assert_members(&joined, &json!({ "published": true, "lane": "queued", "/next/action": "poll" }));
    registry.settle();
    let (id, kind) = (joined["listing_id"].clone(), &joined["kind"]);
    // A demo requires a Live listing.
    let targets = registry.call_tool("attractor_targets", &json!({})).await;
    let target = json!({ "listing_id": id, "kind": kind, "/take_demo_get": null });
    assert_members(&targets["targets"][0], &target);
    let demo = |joined: &Value| {
        let all = joined["contributions"].as_array().unwrap();
        all.iter().find(|contribution| contribution["id"] == "demo").unwrap().clone()
    };
    assert_eq!(demo(&joined)["waits_for"], "live");
    registry.deliver_events().await;
    // `next` is the call of the first open contribution; sending it completes that contribution.
    let live = registry.call_tool("join_and_contribute", &json!({ "listing_id": id })).await;
    assert_members(&live, &json!({ "published": false, "lane": "active", "/next/tool": "take_demo" }));
    registry.call_tool("leave_trace", &json!({ "listing_id": id, "body": "Quick." })).await;
    assert_eq!(demo(&live).get("waits_for"), None);
    let path = live["next"]["url"].as_str().unwrap().strip_prefix(&registry.url("")).unwrap().to_owned();
    registry.post(&path, &live["next"]["body"]).await;
    registry.settle();
    let later = registry.call_tool("join_and_contribute", &json!({ "url": peer.card() })).await;
    assert_eq!(later["published"], false, "it was Live already");
    let done: Vec<&Value> =
        later["contributions"].as_array().unwrap().iter().map(|contribution| &contribution["done"]).collect();
    assert_eq!(done[..3], [&json!(null), &json!(true), &json!(false)], "{later}");
    assert_eq!(later["next"]["tool"], "leave_feedback");
    registry.call_tool("leave_feedback", &later["next"]["body"]).await;
    registry.settle();
    let done = registry.call_tool("join_and_contribute", &json!({ "listing_id": id })).await;
    assert_eq!(done["next"]["tool"], "talk_inbox", "{done}");
}

#[tokio::test]
async fn feedback_on_a_demo_waits_for_nothing_when_the_listing_is_no_longer_live() {
    let (registry, _peer, id) = live_agent().await;
    registry.post("/api/products/demo", &json!({ "listing_id": id })).await;
    registry.settle();
    registry.advance(8 * DAY);
    let joined = registry.call_tool("join_and_contribute", &json!({ "listing_id": id })).await;
    assert_eq!(joined["lane"], "queued", "{joined}");
    let [demo, feedback] = [1, 2].map(|index| &joined["contributions"][index]);
    assert_members(demo, &json!({ "id": "demo", "waits_for": "live" }));
    assert_members(feedback, &json!({ "id": "feedback", "/waits_for": null }));
    registry.post("/api/products/feedback", &feedback["call"]["body"]).await.ok();
}
