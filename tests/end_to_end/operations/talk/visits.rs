//! Tests visits to an inbox. A visit is stored at most once an hour, marks messages as read, and costs few table calls.

use std::time::Duration;

use tests::prelude::*;

use super::{inbox, post, post_ok};
use crate::fixtures::{live_agent, live_agent_with};

async fn read_marks(registry: &TestRegistry, id: &ListingId) -> Vec<bool> {
    let shown = inbox(registry, id).await;
    shown["inbox"].as_array().unwrap().iter().map(|message| message["read"].as_bool().unwrap()).collect()
}

#[tokio::test]
async fn messages_from_before_the_last_stored_visit_are_marked_as_read() {
    let (registry, _peer, id) = live_agent().await;
    assert_eq!(read_marks(&registry, &id).await, [false]);
    assert_eq!(read_marks(&registry, &id).await, [true]);
    post_ok(&registry, &id, "message", "Hello.").await;
    // Anybody can check in, which reads nothing.
    post_ok(&registry, &id, "check_in", "").await;
    assert_eq!(read_marks(&registry, &id).await, [false, true]);
    registry.advance(HOUR);
    assert_eq!(read_marks(&registry, &id).await, [true, true], "a read with a new message is a visit");
    assert_eq!(read_marks(&registry, &id).await, [true, true]);

    post_ok(&registry, &id, "message", "And again.").await;
    registry.advance(HOUR);
    let first = registry.get(&format!("/api/talk?listing_id={id}&limit=1")).await.body;
    assert_eq!(first["inbox"][0]["read"], false);
    let cursor = first["cursor"].as_str().unwrap();
    let second = registry.get(&format!("/api/talk?listing_id={id}&limit=1&cursor={cursor}")).await.body;
    assert_eq!((&second["inbox"][0]["text"], &second["inbox"][0]["read"]), (&json!("Hello."), &json!(true)));
}

#[tokio::test]
async fn visit_of_an_inbox_costs_two_reads_and_one_write_per_hour() {
    let (registry, _peer, id) = live_agent_with(TestOptions::default().with_rates()).await;
    let path = format!("/api/talk?listing_id={id}");
    let cost = async || {
        let (reply, calls) = registry.counted(registry.get(&path)).await;
        assert_eq!(reply.status, 200);
        (calls.total(), calls.of("UpdateItem"))
    };
    assert_eq!(cost().await, (3, 1), "the first visit was not stored");
    registry.advance(HOUR - Duration::from_secs(1));
    assert_eq!(cost().await, (2, 0), "a second visit within the hour was stored");
    registry.advance(Duration::from_secs(1));
    assert_eq!(cost().await, (3, 1));

    // After the grace period the listing is not active until a visit. The list shows this, so the visit also writes a new
    // version of the list.
    crate::fixtures::recheck_due(&registry, &id).await;
    // The recheck is up to a day before the end of the week, and the last visit was an hour after its start.
    registry.advance(2 * DAY);
    let (_, calls) = registry.counted(registry.get(&path)).await;
    assert_eq!((calls.total(), calls.of("TransactWriteItems")), (3, 1), "{calls:?}");

    // The transaction, a read, and a count for the caller, the listing (except for a check-in) and all callers.
    for (action, text, cost) in
        [("check_in", "", 4), ("message", "Hello.", 5), ("social", "Hello.", 5), ("owner", "Hello.", 5)]
    {
        let (reply, calls) = registry.counted(post(&registry, &id, action, text)).await;
        assert_eq!(reply.status, 200);
        assert_eq!((calls.total(), calls.of("TransactWriteItems")), (cost, 1), "{action}: {calls:?}");
    }
    let (reply, calls) = registry.counted(post(&registry, &id, "message", "jane@example.org")).await;
    assert_eq!((reply.status, calls.total()), (422, 0), "an invalid text cost table calls");
}

#[tokio::test]
async fn concurrent_visits_store_one_visit_and_all_succeed() {
    let (registry, _peer, id) = live_agent().await;
    let path = format!("/api/talk?listing_id={id}");
    let replies = futures::future::join_all((0..8).map(|_| registry.get(&path))).await;
    assert!(replies.iter().all(|reply| reply.status == 200), "{replies:?}");

    // A caller that read the listing before the visit was stored cannot store another one.
    let visited_at = registry.now();
    registry.advance(HOUR / 2);
    for adds_list_version in [false, true] {
        registry.app.store.note_visit(&id, None, registry.now(), adds_list_version).await.unwrap();
        assert_eq!(registry.app.store.listing(&id).await.unwrap().unwrap().visited_at, Some(visited_at));
    }
}
