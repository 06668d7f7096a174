//! Tests posting to an inbox: which message each action stores, which texts are forbidden, who the sender is,
//! closed inboxes, and rate limits.

use std::time::Duration;

use insta::assert_snapshot;
use tests::prelude::*;

use super::{feed, inbox, post, post_ok};
use crate::fixtures::{live_agent, live_pair, members, shown, values_of};

#[tokio::test]
async fn each_talk_action_stores_its_message() {
    let pair = live_pair().await;
    let (registry, id) = (&pair.registry, &pair.agent);
    let mut answers = vec![post_ok(registry, id, "message", " Your forecasts fit our planner. ").await];
    for (action, text) in
        [("owner", "Renew the key."), ("social", "We forecast, free."), ("check_in", "All well.")]
    {
        answers.push(post_ok(registry, id, action, text).await);
    }
    assert_eq!(answers[3]["talk"], registry.status(id).await["talk"]);
    let answers = answers.iter().map(|answer| members(answer, &["action", "listing_id", "message"]));
    let messages =
        json!({ "answers": answers.collect::<Value>(), "inbox": inbox(registry, id).await["inbox"] });
    assert_snapshot!(shown(registry, &messages));
    let others = inbox(registry, &pair.server).await;
    assert_eq!(values_of(&others["inbox"], "kind"), ["welcome"], "another listing received a message");

    let silent = registry.post("/api/talk", &json!({ "listing_id": id })).await;
    silent.assert_body(200, &json!({ "action": "check_in", "message": null }));
    let short = registry.post("/api/talk", &json!({ "id": id, "text": "Hello." })).await;
    assert_eq!(short.body["action"], "message", "a text without an action is not a message: {short:?}");
}

#[tokio::test]
async fn sender_is_unverified_and_must_be_listed() {
    let pair = live_pair().await;
    let registry = &pair.registry;
    let send = async |action: &str, from: &str| {
        registry.advance(Duration::from_millis(1));
        let body = json!({ "listing_id": pair.agent, "action": action, "text": "Hello.", "from": from });
        registry.post("/api/talk", &body).await
    };
    for from in [&pair.server, &pair.agent] {
        let sent = send("message", from.as_str()).await.body["message"].clone();
        assert_eq!((&sent["from"], &sent["from_verified"]), (&json!(from), &json!(false)));
    }
    let shown = &inbox(registry, &pair.agent).await["inbox"];
    assert_eq!((&shown[0]["from_verified"], &shown[1]["from_verified"]), (&json!(false), &json!(false)));
    for (action, from, code) in [
        ("message", "agent-unknown", "unknown_sender"),
        ("message", "registry", "unknown_sender"),
        ("social", pair.server.as_str(), "from_without_message"),
    ] {
        let status = if code == "unknown_sender" { 404 } else { 422 };
        send(action, from).await.assert_field_refused(status, code, "from");
    }
}

#[tokio::test]
async fn texts_have_a_length_for_each_action() {
    let (registry, _peer, id) = live_agent().await;
    let before = registry.table().await;
    let limits = [("check_in", 280), ("message", 2000), ("social", 500), ("owner", 2000)];
    for (action, length) in limits {
        let refused = post(&registry, &id, action, &"x".repeat(length + 1)).await;
        refused.assert_field_refused(422, "text_too_long", "text");
    }
    for (body, field) in [
        (json!({}), "listing_id"),
        (json!({ "listing_id": 7 }), "listing_id"),
        (json!({ "listing_id": id, "action": "shout", "text": "x" }), "action"),
        (json!({ "listing_id": id, "action": "message", "text": ["x"] }), "text"),
        (json!({ "listing_id": id, "action": "message", "text": " \n " }), "text"),
    ] {
        registry.post("/api/talk", &body).await.assert_invalid(field);
    }
    assert_eq!(before.difference(&registry.table().await), [""; 0]);
    for (action, length) in limits {
        post_ok(&registry, &id, action, &"ü".repeat(length)).await;
    }
}

#[tokio::test]
async fn social_post_requires_a_live_listing_and_the_feed_hides_its_sender() {
    let pair = live_pair().await;
    let (registry, peer) = (&pair.registry, Peer::start(agents::only(404)).await);
    let waiting = registry.publish_card(&peer.card()).await;
    let refused = post(registry, &waiting, "social", "Hello, everybody.").await;
    refused.assert_body(409, &json!({ "code": "not_active", "lane": "queued" }));
    for (number, id) in [&pair.agent, &pair.server, &pair.agent, &pair.server].into_iter().enumerate() {
        post_ok(registry, id, "social", &format!("Offer {number}.")).await;
    }
    post_ok(registry, &pair.agent, "message", "Only for the inbox.").await;
    let first = feed(registry, "?limit=3").await;
    assert_eq!(values_of(&first["items"], "text"), ["Offer 3.", "Offer 2.", "Offer 1."]);
    assert_snapshot!(shown(registry, &first["items"][1]));
    let rest = feed(registry, &format!("?limit=3&cursor={}", first["next_cursor"].as_str().unwrap())).await;
    assert_eq!(values_of(&rest["items"], "text"), ["Offer 0."]);
    assert_eq!(rest["next_cursor"], json!(null));
}

#[tokio::test]
async fn withdrawn_listing_has_a_closed_inbox_and_no_feed_items() {
    let pair = live_pair().await;
    let (registry, id) = (&pair.registry, &pair.agent);
    post_ok(registry, id, "social", "Buy our coins.").await;
    registry.withdraw(id, "Spam.").await;

    let before = registry.table().await;
    for action in ["check_in", "message", "social", "owner"] {
        let refused = post(registry, id, action, "Hello.").await;
        refused.assert_body(409, &json!({ "code": "withdrawn", "lane": "withdrawn" }));
        assert_eq!(refused.body["next"]["action"], "check_status", "{refused:?}");
    }
    let sender = json!({ "listing_id": pair.server, "text": "Hello.", "from": id });
    assert_eq!(registry.post("/api/talk", &sender).await.body["code"], "unknown_sender");
    assert_snapshot!(shown(registry, &inbox(registry, id).await));
    assert_eq!(feed(registry, "").await["items"], json!([]));
    assert_eq!(before.difference(&registry.table().await), [""; 0], "a visit or a message was written");
}

/// Anybody can read an inbox without a proof, so nothing says that its owner did.
#[tokio::test]
async fn page_does_not_say_who_read_the_inbox() {
    let (registry, _peer, id) = live_agent().await;
    for _ in 0..9 {
        registry.tick_after(DAY).await;
    }
    let page = async || registry.get(&format!("/list/{id}")).await.body.to_string();
    assert!(page().await.contains("Nobody visited the inbox within the last 7 days."), "{}", page().await);
    registry.get(&format!("/api/talk?listing_id={id}")).await;
    assert!(page().await.contains("Somebody visited the inbox within the last 7 days."), "{}", page().await);
}
