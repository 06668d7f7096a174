//! Tests compositions (pairs of listings that are used together): which listings work with a listing, plans
//! for two listings, proposed pairs, and `join`.

use tests::prelude::*;

use super::{INTEROP, TOKEN};
use crate::fixtures::{forecaster, item, live_agent, refused_arguments};

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
    let suggested = json!({ "compositions": [], "/suggestions/0/listing_id": server,
        "/suggestions/0/invoke/mcp/body/params/name": "forecast_weather" });
    assert_members(&before, &suggested);
    // With a word that matched.
    assert_contains(&before["suggestions"][0]["why"].to_string(), &["“"]);

    // A plan is no use.
    let arguments = json!({ "listing_id": agent, "listing_b": server });
    let unused = registry.call_tool("execute_compose", &arguments).await;
    assert_members(&unused, &json!({ "composition_count": 0, "attestation": null }));
    registry.call_tool("used_with", &arguments).await;
    let plan = registry.call_tool("execute_compose", &arguments).await;
    // Its next step reports no outcome before the calls.
    let planned = json!({ "/pipeline/steps/0/call/body/method": "SendMessage",
        "/pipeline/steps/1/call/body/method": "tools/call", "/pipeline/steps/2": null, "/next/body": null,
        "/attestation/type": "composition", "/attestation/claims/reports": 1 });
    assert_members(&plan, &planned);
    assert!(plan["pipeline"]["id"].as_str().unwrap().starts_with("pipe_"));
    let verified =
        registry.call_tool("verify_attestation", &json!({ "jws": plan["attestation"]["jws"] })).await;
    assert_eq!(verified["valid"], true, "{verified}");

    let again = registry.call_tool("execute_compose", &arguments).await;
    assert_members(&again, &json!({ "composition_count": 1, "/pipeline/id": plan["pipeline"]["id"] }));
    registry.settle();
    let after = registry.call_tool("compose_peers", &json!({ "listing_id": server })).await;
    let used = json!({ "/compositions/0/peer_focus": agent, "/compositions/0/count": 1, "suggestions": [] });
    assert_members(&after, &used);
}

#[tokio::test]
async fn plan_requires_two_live_listings() {
    let (registry, _peer, id) = live_agent().await;
    let queued = registry.publish_card("https://agents.example.com/card.json").await;
    let others = [json!("mcp-unknown"), json!(id), json!(queued)].map(|other| json!({ "listing_b": other }));
    let agent = json!({ "listing_id": id });
    insta::assert_snapshot!(refused_arguments(&registry, "execute_compose", &agent, others).await);
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
    // The pair is stored once, and counts nowhere as used.
    for stored in [1, 0] {
        let reply = registry.post_with_token(INTEROP, TOKEN, &seed).await;
        reply.assert_body(200, &json!({ "stored_count": stored }));
    }
    let seeded =
        json!({ "/compositions/0/seeded": true, "/compositions/0/count": 0, "/graph/compositions": 0 });
    assert_members(&registry.settled(INTEROP).await, &seeded);
    let of_agent = json!({ "listing_id": agent });
    assert_eq!(registry.call_tool("compose_peers", &of_agent).await["compositions"], json!([]));
    assert_eq!(registry.call_tool("get_reciprocity", &of_agent).await["graph"]["edges"], json!([]));
    let statement = json!({ "type": "composition", "listing_id": agent, "listing_b": server });
    assert_eq!(registry.refused_code("attest", &statement).await, "no_composition");

    let evaporate = json!({ "action": "evaporate", "listing_id": agent });
    let gone = registry.post_with_token("/api/products/stigmergy", TOKEN, &evaporate).await;
    assert_eq!(gone.body["compositions"], 1, "{gone:?}");
    registry.call_tool("used_with", &json!({ "listing_id": agent, "listing_b": server })).await;
    let used = json!({ "/compositions/0/seeded": false, "/graph/compositions": 1 });
    assert_members(&registry.settled(INTEROP).await, &used);
}

#[tokio::test]
async fn join_action_publishes_the_url_and_returns_possible_contributions() {
    let registry = TestRegistry::start().await;
    let peer = Peer::start(forecaster).await;
    let join = async |arguments: Value| {
        registry.settle();
        let mut joined = registry.call_tool("join_and_contribute", &arguments).await;
        joined["demo"] = item(&joined["contributions"], "id", "demo").clone();
        joined
    };
    let joined = join(json!({ "url": peer.card(), "source": "a test" })).await;
    // A demo requires a Live listing.
    let queued =
        json!({ "published": true, "lane": "queued", "/next/action": "poll", "/demo/waits_for": "live" });
    assert_members(&joined, &queued);
    registry.settle();
    let of_listing = json!({ "listing_id": joined["listing_id"] });
    let targets = registry.call_tool("attractor_targets", &json!({})).await;
    let target = with_members(of_listing.clone(), &json!({ "kind": joined["kind"], "/take_demo_get": null }));
    assert_members(&targets["targets"][0], &target);
    registry.deliver_events().await;
    // `next` is the call of the first open contribution; sending it completes that contribution.
    let live = join(of_listing.clone()).await;
    let active =
        json!({ "published": false, "lane": "active", "/next/tool": "take_demo", "/demo/waits_for": null });
    assert_members(&live, &active);
    let trace = with_members(of_listing.clone(), &json!({ "body": "Quick." }));
    registry.call_tool("leave_trace", &trace).await;
    registry.follow(&live["next"]).await.ok();
    let later = join(json!({ "url": peer.card() })).await;
    // The registry does not know of a trace for what its listing looks for.
    assert_eq!(later["contributions"][0]["done"], json!(null));
    let demoed = json!({ "published": false, "/contributions/1/done": true,
        "/contributions/2/done": false, "/next/tool": "leave_feedback" });
    assert_members(&later, &demoed);
    registry.call_tool("leave_feedback", &later["next"]["body"]).await;
    assert_eq!(join(of_listing).await["next"]["tool"], "talk_inbox");
}

#[tokio::test]
async fn feedback_on_a_demo_waits_for_nothing_when_the_listing_is_no_longer_live() {
    let (registry, _peer, id) = live_agent().await;
    registry.demo(&id).await;
    registry.settle();
    registry.advance(8 * DAY);
    let joined = registry.call_tool("join_and_contribute", &json!({ "listing_id": id })).await;
    assert_eq!(joined["lane"], "queued", "{joined}");
    let [demo, feedback] = [1, 2].map(|index| &joined["contributions"][index]);
    assert_members(demo, &json!({ "id": "demo", "waits_for": "live" }));
    assert_members(feedback, &json!({ "id": "feedback", "/waits_for": null }));
    registry.feedback(&feedback["call"]["body"]).await.ok();
}
