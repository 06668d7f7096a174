//! What an inbox shows: its messages by pages, where its listing stands, and what to do next; by every door.

use std::time::Duration;

use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::{DAY, TestRegistry};

use super::{each, inbox, said};
use crate::fixtures::{live_agent, live_pair, refused_queries};

#[tokio::test]
async fn a_fresh_listing_finds_its_welcome_and_what_to_do() {
    let (registry, _peer, id) = live_agent().await;
    let shown = inbox(&registry, &id).await;
    assert_eq!(
        (&shown["ok"], &shown["listing_id"], &shown["cursor"]),
        (&json!(true), &json!(id), &json!(null))
    );
    assert_eq!(shown["talk"], registry.status(&id).await["talk"], "status says the same");
    assert_eq!(
        shown["talk"],
        json!({
            "required": true, "active": true, "mode": "grace",
            "reason": "Onboarding grace until 2026-11-27T12:00:01.000Z: the listing holds while its owner checks in.",
            "grace_ends_at": "2026-11-27T12:00:01.000Z",
        })
    );
    assert_eq!(each(&shown["inbox"], "kind"), ["welcome"]);
    let welcome = &shown["inbox"][0];
    assert_eq!(welcome["at"], "2026-11-20T12:00:01.000Z");
    assert_eq!(
        (&welcome["from"], &welcome["from_verified"], &welcome["channel"], &welcome["read"]),
        (&json!("registry"), &json!(true), &json!("registry"), &json!(false))
    );
    assert_eq!(each(&shown["next_actions"], "action"), ["take_demo", "check_in"]);
    assert_eq!(shown["next_actions"][0]["body"], json!({ "listing_id": id }));
}

#[tokio::test]
async fn every_next_action_is_served_and_may_be_sent_as_it_stands() {
    let peer = Peer::start(agents::only(404)).await;
    let (registry, _live, live) = live_agent().await;
    let broken = registry.publish_card(&peer.card()).await;
    registry.deliver_events().await;
    let waiting = registry.publish(&json!({ "url": peer.url("/later/card.json") })).await;
    let mut sent = Vec::new();
    for id in [live, broken, tests::test_registry::id_of(&waiting)] {
        let actions = inbox(&registry, &id).await["next_actions"].clone();
        for action in actions.as_array().unwrap() {
            let path = action["url"].as_str().unwrap().strip_prefix(&registry.app.settings.base_url).unwrap();
            let reply = match action["method"].as_str().unwrap() {
                "GET" => registry.get(path).await,
                _ => registry.post(path, &action["body"]).await,
            };
            assert_eq!(reply.status, 200, "{action}: {reply:?}");
            assert_eq!(reply.body["listing_id"], json!(id), "{action}");
            sent.push(action["action"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(sent, ["take_demo", "check_in", "check_status", "publish_again", "check_status"]);
}

#[tokio::test]
async fn an_inbox_is_read_by_pages_and_nothing_is_shown_twice() {
    let (registry, _peer, id) = live_agent().await;
    for number in 0..6 {
        said(&registry, &id, "message", &format!("Message {number}.")).await;
    }
    let whole = inbox(&registry, &id).await;
    let (mut path, mut texts, mut pages) = (format!("/api/talk?listing_id={id}&limit=3"), Vec::new(), 0);
    loop {
        let page = registry.get(&path).await.body;
        texts.extend(each(&page["inbox"], "text"));
        pages += 1;
        assert!(page["inbox"].as_array().unwrap().iter().all(|message| message["read"] == true), "{page}");
        let Some(cursor) = page["cursor"].as_str() else { break };
        path = format!("/api/talk?listing_id={id}&limit=3&cursor={cursor}");
    }
    assert_eq!((texts.len(), pages), (7, 3));
    assert_eq!(texts, each(&whole["inbox"], "text"));
    assert_eq!(texts[..2], ["Message 5.", "Message 4."]);
}

#[tokio::test]
async fn refused_queries_say_what_to_send() {
    let missing = "/api/talk?listing_id=agtpub_00000000000000000000";
    insta::assert_snapshot!(
        refused_queries(&[
            "/api/talk",
            missing,
            "/api/talk?listing_id=nonsense",
            "/api/talk?listing_id=agent-a&limit=0",
            "/api/talk?listing_id=agent-a&limit=101",
            "/api/talk?listing_id=agent-a&cursor=nonsense",
            "/api/talk/feed?limit=x",
            "/api/talk/feed?cursor=e30",
        ])
        .await,
        @r"
    /api/talk
      422 invalid_argument `listing_id`: missing field `listing_id`.
    /api/talk?listing_id=agtpub_00000000000000000000
      404 listing_not_found `-`: No listing `agtpub_00000000000000000000` is known here. -> publish
    /api/talk?listing_id=nonsense
      404 listing_not_found `-`: No listing `nonsense` is known here. -> publish
    /api/talk?listing_id=agent-a&limit=0
      422 out_of_range `limit`: `limit` must be a whole number from 1 to 100.
    /api/talk?listing_id=agent-a&limit=101
      422 out_of_range `limit`: `limit` must be a whole number from 1 to 100.
    /api/talk?listing_id=agent-a&cursor=nonsense
      422 bad_cursor `cursor`: `cursor` must be the cursor of an earlier page; leave it out for the first page.
    /api/talk/feed?limit=x
      422 invalid_argument `limit`: `limit`: it must be a whole number, written in digits and not too large.
    /api/talk/feed?cursor=e30
      422 bad_cursor `cursor`: `cursor` must be the next_cursor of an earlier page; leave it out for the first page.
    "
    );
}

#[tokio::test]
async fn what_is_not_live_has_an_inbox_that_nobody_must_visit() {
    let registry = TestRegistry::start().await;
    let peer = Peer::start(agents::only(404)).await;
    let id = registry.publish_card(&peer.card()).await;
    let waiting = inbox(&registry, &id).await;
    assert_eq!(
        (&waiting["talk"]["required"], &waiting["talk"]["mode"], &waiting["talk"]["grace_ends_at"]),
        (&json!(false), &json!("inactive"), &json!(null))
    );
    assert_eq!(
        (&waiting["inbox"], each(&waiting["next_actions"], "action")),
        (&json!([]), vec!["check_status".into()])
    );
    said(&registry, &id, "message", "Hello?").await;
    assert_eq!(each(&inbox(&registry, &id).await["inbox"], "text"), ["Hello?"]);
}

#[tokio::test]
async fn messages_are_kept_for_ninety_days_and_for_one_life_of_a_listing() {
    let registry = TestRegistry::start().await;
    let peer = Peer::start(agents::only(404)).await;
    let id = registry.publish_card(&peer.card()).await;
    registry.deliver_events().await;
    said(&registry, &id, "message", "From its first life.").await;
    while registry.get(&format!("/api/talk?listing_id={id}")).await.status == 200 {
        registry.advance(DAY);
        registry.tick().await;
    }
    registry.advance(DAY);
    registry.publish_card(&peer.card()).await;
    assert_eq!(inbox(&registry, &id).await["inbox"], json!([]), "another life");

    let (registry, _peer, id) = live_agent().await;
    said(&registry, &id, "message", "Old.").await;
    registry.advance(DAY * 89);
    assert_eq!(inbox(&registry, &id).await["inbox"][0]["text"], "Old.");
    registry.advance(DAY * 2);
    assert_eq!(inbox(&registry, &id).await["inbox"], json!([]), "the table need not have taken it away");
    assert!(registry.sweep_expired() > 0);
    assert_eq!(registry.table().await.items_under("INBOX#").len(), 0);
}

#[tokio::test]
async fn every_door_leads_to_the_inbox() {
    let pair = live_pair().await;
    let (registry, id) = (&pair.registry, &pair.server);
    let by_rest = inbox(registry, id).await;
    let by_tool = registry.call_tool("talk_inbox", &json!({ "listing_id": id })).await;
    let unread = |mut shown: Value| {
        for message in shown["inbox"].as_array_mut().unwrap() {
            message["read"] = json!(false);
        }
        shown
    };
    assert_eq!(unread(by_tool), by_rest);

    let ask = async |text: String| -> Value {
        let message = json!({ "messageId": "m1", "role": "ROLE_USER", "parts": [{ "text": text }] });
        let request =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } });
        registry.post("/api/a2a", &request).await.body["result"].clone()
    };
    let asked = ask(format!("show the talk inbox of {id}")).await;
    let data = &asked["message"]["parts"][1]["data"];
    assert_eq!((&data["operation"], &data["executed"]), (&json!("talk_inbox"), &json!(true)), "{asked}");
    assert!(data.to_string().contains("welcome"), "{data}");

    // What is said in one millisecond has no order.
    registry.advance(Duration::from_secs(1));
    let text = "Your tools fit our planner";
    let left = ask(format!("leave a message for {id}: {text}")).await;
    assert!(left.to_string().contains("\"talk\""), "{left}");
    assert_eq!(inbox(registry, id).await["inbox"][0]["text"], text);
    registry.advance(Duration::from_secs(1));
    let arguments = json!({ "listing_id": id, "action": "owner", "text": "Renew the certificate." });
    registry.call_tool("talk", &arguments).await;
    assert_eq!(each(&inbox(registry, id).await["inbox"], "kind")[..2], ["owner", "message"]);
    let refused =
        registry.refused_tool("talk", &json!({ "listing_id": id, "action": "shout", "text": "x" })).await;
    assert_eq!(refused["field"], "action");
}
