//! Tests Talk with a clock that the tests move. In the first week after a listing goes Live, its talk mode is
//! `grace`. Without a visit to the inbox, the mode then becomes `lapsed`. A visit makes it `present` again.
//! The inbox gets one message about the passed probes of each week, and about each failure.

use tests::prelude::*;

use crate::fixtures::{demote, go_live_again, live_agent, queued_agent, recheck_at, recheck_due};

/// Kinds and texts of the messages in an inbox, newest first. Reads the table, because a request would count as a visit.
async fn inbox(registry: &TestRegistry, id: &ListingId) -> Vec<(String, String)> {
    let page = registry.app.store.inbox(id, registry::model::Moment::UNIX_EPOCH, None, 100, registry.now());
    let (messages, more) = page.await.unwrap();
    assert_eq!(more, None);
    messages.into_iter().map(|message| (message.kind.as_str().to_owned(), message.text)).collect()
}

pub(super) async fn kinds(registry: &TestRegistry, id: &ListingId) -> Vec<String> {
    inbox(registry, id).await.into_iter().map(|(kind, _)| kind).collect()
}

async fn row_mode(registry: &TestRegistry) -> String {
    registry.settle();
    let row = registry.get("/api/listings/active").await.body["agents"][0].clone();
    row["talk"]["mode"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn talk_mode_is_lapsed_from_the_end_of_the_grace_period_until_a_visit() {
    let (registry, _peer, id) = live_agent().await;
    let visit =
        async || -> Value { registry.get(&format!("/api/talk?listing_id={id}")).await.body["talk"].clone() };
    let assert_mode = async |mode: &str| {
        assert_eq!(row_mode(&registry).await, mode, "in the row");
        assert_eq!(registry.status(&id).await["talk"]["mode"], mode, "in the status");
    };
    assert_eq!(visit().await["mode"], "grace");
    assert_mode("grace").await;
    let ends = crate::fixtures::time(&visit().await["grace_ends_at"]);
    recheck_due(&registry, &id).await;
    registry.advance_to(ends);
    assert_mode("lapsed").await;
    assert_eq!(registry.live_counts().await, (1, 0), "it stays Live");

    // The row shows the visit at once, although the page is cached.
    let talk = visit().await;
    assert_eq!((&talk["mode"], &talk["active"]), (&json!("present"), &json!(true)));
    assert_mode("present").await;
    registry.advance(DAY * 5);
    assert_mode("present").await;
    recheck_due(&registry, &id).await;
    registry.advance(DAY * 2);
    assert_mode("lapsed").await;
    let check_in = registry.post("/api/talk", &json!({ "listing_id": id, "action": "check_in" })).await;
    assert_eq!(check_in.body["talk"]["mode"], "present", "{check_in:?}");
    assert_mode("present").await;
}

#[tokio::test]
async fn talk_mode_of_a_visited_listing_is_present_after_the_grace_period() {
    let (registry, _peer, id) = live_agent().await;
    recheck_due(&registry, &id).await;
    registry.get(&format!("/api/talk?listing_id={id}")).await;
    assert_eq!(row_mode(&registry).await, "grace", "a visit does not end the grace");
    registry.advance(DAY);
    assert_eq!(row_mode(&registry).await, "present");
}

#[tokio::test]
async fn inbox_gets_one_message_for_each_recheck_and_each_failure() {
    let (registry, peer, id) = live_agent().await;
    recheck_due(&registry, &id).await;
    let passed = inbox(&registry, &id).await.remove(0);
    assert_eq!(passed.0, "recheck");
    assert!(passed.1.starts_with("The recheck passed"), "{passed:?}");
    assert!(passed.1.contains(&recheck_at(&registry, &id).await.to_string()), "{passed:?}");

    demote(&registry, &peer, &id).await;
    let messages = inbox(&registry, &id).await;
    assert_eq!(messages.len(), 4, "passed, failed once, demoted: {messages:?}");
    assert_contains(&messages[0].1, &["Your listing is demoted and not Live", "Reason card_404: "]);
    assert!(messages[1].1.starts_with("A probe of your listing failed"), "{messages:?}");

    go_live_again(&registry, &peer, &id).await;
    assert_eq!(kinds(&registry, &id).await[..1], ["welcome"], "Live again");
    let talk = registry.status(&id).await["talk"].clone();
    assert_eq!(talk["mode"], "grace", "a new grace begins: {talk}");
}

#[tokio::test]
async fn needs_fix_message_does_not_quote_the_peer() {
    let (registry, peer, id) = queued_agent(agents::injecting).await;
    registry.deliver_events().await;
    let messages = inbox(&registry, &id).await;
    let [(kind, text)] = messages.as_slice() else { panic!("{messages:?}") };
    assert_eq!(kind, "needs_fix");
    assert!(text.contains("no_injection") && text.contains("follow `next` in its status"), "{text}");
    assert!(!text.contains("previous") && !text.contains("recommend"), "{text}");
    registry.tick_after(DAY).await;
    assert_eq!(inbox(&registry, &id).await.len(), 1, "one message, not one per probe");

    go_live_again(&registry, &peer, &id).await;
    assert_eq!(kinds(&registry, &id).await, ["welcome", "needs_fix"], "one each, although events repeat");
}
