//! Tests the contents of an inbox over every protocol: the messages in pages, the state of the listing, and
//! the next actions.

use insta::assert_snapshot;
use tests::prelude::*;

use super::{inbox, post_ok};
use crate::fixtures::{live_agent, queued_agent, refused_queries, shown, values_of};

#[tokio::test]
async fn new_inbox_contains_a_welcome_and_next_actions() {
    let (registry, _peer, id) = live_agent().await;
    let first = inbox(&registry, &id).await;
    assert_eq!(first["talk"], registry.status(&id).await["talk"], "`check_status` returns another `talk`");
    assert_snapshot!(shown(&registry, &first));
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
    let pages = registry.pages(&format!("/api/talk?listing_id={id}&limit=3"), "/cursor").await;
    let messages: Value = pages.iter().flat_map(|page| page["inbox"].as_array().unwrap()).cloned().collect();
    assert!(messages.as_array().unwrap().iter().all(|message| message["read"] == true), "{messages}");
    let texts = values_of(&messages, "text");
    assert_eq!((texts.len(), pages.len()), (9, 3));
    assert_eq!(texts, values_of(&whole["inbox"], "text"));
    assert_eq!(texts[..2], ["Message 7.", "Message 6."]);
}

#[tokio::test]
async fn invalid_queries_are_refused_with_a_hint() {
    let refused = refused_queries(&[
        "/api/talk",
        "/api/talk?listing_id=agtpub_00000000000000000000",
        "/api/talk?listing_id=nonsense",
        "/api/talk?listing_id=agent-a&limit=0",
        "/api/talk?listing_id=agent-a&limit=101",
        "/api/talk?listing_id=agent-a&cursor=nonsense",
        "/api/talk/feed?limit=x",
        "/api/talk/feed?cursor=e30",
    ]);
    assert_snapshot!(refused.await);
}

#[tokio::test]
async fn listing_that_is_not_live_requires_no_check_in() {
    let (registry, _peer, id) = queued_agent(agents::only(404)).await;
    assert_snapshot!(shown(&registry, &inbox(&registry, &id).await));
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
