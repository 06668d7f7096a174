//! Tests the contents of an inbox over every protocol: the messages in pages, the state of the listing, and
//! the next actions.

use serde_json::json;
use tests::assertions::assert_members;
use tests::peers::agents;
use tests::test_registry::DAY;

use super::{inbox, post_ok};
use crate::fixtures::{live_agent, queued_agent, refused_queries, values_of};

#[tokio::test]
async fn new_inbox_contains_a_welcome_and_next_actions() {
    let (registry, _peer, id) = live_agent().await;
    let shown = inbox(&registry, &id).await;
    assert_members(&shown, &json!({ "ok": true, "listing_id": id, "cursor": null }));
    assert_eq!(shown["talk"], registry.status(&id).await["talk"], "`check_status` returns another `talk`");
    let talk = json!({
        "required": true, "active": true, "mode": "grace",
        "reason": "The listing became Live recently. Until 2026-11-27T12:00:01.000Z, it is shown as active in Talk. After that, it needs a visit in the last seven days: a read of the inbox or a check-in.",
        "grace_ends_at": "2026-11-27T12:00:01.000Z",
    });
    assert_eq!(shown["talk"], talk);
    assert_eq!(values_of(&shown["inbox"], "kind"), ["welcome"]);
    let welcome = &shown["inbox"][0];
    assert_eq!(welcome["at"], "2026-11-20T12:00:01.000Z");
    let expected = json!({ "from": "registry", "from_verified": true, "channel": "registry", "read": false });
    assert_members(welcome, &expected);
    assert_eq!(values_of(&shown["next_actions"], "action"), ["take_demo", "check_in"]);
    assert_eq!(shown["next_actions"][0]["body"], json!({ "listing_id": id }));
    let draft = registry.draft(&id).await;
    let actions = async || values_of(&inbox(&registry, &id).await["next_actions"], "action");
    assert_eq!(actions().await, ["leave_feedback", "check_in"]);
    registry.post("/api/products/feedback", &draft).await;
    assert_eq!(actions().await, ["check_in"]);
}

#[tokio::test]
async fn paged_inbox_repeats_no_message() {
    let (registry, _peer, id) = live_agent().await;
    // With the welcome message, the last page is full.
    for number in 0..8 {
        post_ok(&registry, &id, "message", &format!("Message {number}.")).await;
    }
    let whole = inbox(&registry, &id).await;
    let (mut path, mut texts, mut pages) = (format!("/api/talk?listing_id={id}&limit=3"), Vec::new(), 0);
    loop {
        let page = registry.get(&path).await.body;
        texts.extend(values_of(&page["inbox"], "text"));
        pages += 1;
        assert!(page["inbox"].as_array().unwrap().iter().all(|message| message["read"] == true), "{page}");
        let Some(cursor) = page["cursor"].as_str() else { break };
        path = format!("/api/talk?listing_id={id}&limit=3&cursor={cursor}");
    }
    assert_eq!((texts.len(), pages), (9, 3));
    assert_eq!(texts, values_of(&whole["inbox"], "text"));
    assert_eq!(texts[..2], ["Message 7.", "Message 6."]);
}

#[tokio::test]
async fn invalid_queries_are_refused_with_a_hint() {
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
        @"
    /api/talk
      422 invalid_argument `listing_id`: `listing_id` is required.
    /api/talk?listing_id=agtpub_00000000000000000000
      404 listing_not_found `-`: Listing not found: `agtpub_00000000000000000000`. -> find_listing
    /api/talk?listing_id=nonsense
      404 listing_not_found `-`: No listing has the id `nonsense`. -> check_status
    /api/talk?listing_id=agent-a&limit=0
      422 out_of_range `limit`: `limit` must be a whole number from 1 to 100.
    /api/talk?listing_id=agent-a&limit=101
      422 out_of_range `limit`: `limit` must be a whole number from 1 to 100.
    /api/talk?listing_id=agent-a&cursor=nonsense
      422 bad_cursor `cursor`: `cursor` must be the cursor of an earlier page; leave it out for the first page.
    /api/talk/feed?limit=x
      422 invalid_argument `limit`: `limit`: must be a whole number in digits, and not too large.
    /api/talk/feed?cursor=e30
      422 bad_cursor `cursor`: `cursor` must be the next_cursor of an earlier page; leave it out for the first page.
    "
    );
}

#[tokio::test]
async fn listing_that_is_not_live_requires_no_check_in() {
    let (registry, _peer, id) = queued_agent(agents::only(404)).await;
    let waiting = inbox(&registry, &id).await;
    let expected = json!({ "required": false, "mode": "inactive", "grace_ends_at": null });
    assert_members(&waiting["talk"], &expected);
    assert_eq!(waiting["inbox"], json!([]));
    assert_eq!(values_of(&waiting["next_actions"], "action"), ["check_status"]);
    post_ok(&registry, &id, "message", "Hello?").await;
    assert_eq!(values_of(&inbox(&registry, &id).await["inbox"], "text"), ["Hello?"]);
    let (registry, _peer, id) = live_agent().await;
    registry.advance(DAY * 8);
    assert_members(&inbox(&registry, &id).await["talk"], &json!({ "required": false, "mode": "inactive" }));
}

#[tokio::test]
async fn messages_are_deleted_after_ninety_days_or_with_their_listing() {
    let (registry, peer, id) = queued_agent(agents::only(404)).await;
    registry.deliver_events().await;
    post_ok(&registry, &id, "message", "From before its deletion.").await;
    while registry.get(&format!("/api/talk?listing_id={id}")).await.status == 200 {
        registry.tick_after(DAY).await;
    }
    registry.advance(DAY);
    registry.publish_card(&peer.card()).await;
    assert_eq!(inbox(&registry, &id).await["inbox"], json!([]), "messages of a deleted listing");

    let (registry, _peer, id) = live_agent().await;
    post_ok(&registry, &id, "message", "Old.").await;
    registry.advance(DAY * 89);
    assert_eq!(inbox(&registry, &id).await["inbox"][0]["text"], "Old.");
    registry.advance(DAY * 2);
    assert_eq!(inbox(&registry, &id).await["inbox"], json!([]), "an expired message is returned");
    assert!(registry.sweep_expired() > 0);
    assert_eq!(registry.table().await.items_under("INBOX#").len(), 0);
}
