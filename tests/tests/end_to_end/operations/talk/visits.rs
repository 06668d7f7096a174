//! A visit: noted once an hour at most, told by what is read then, and cheap in calls to the table.

use std::time::Duration;

use serde_json::json;
use tests::peers::{Peer, agents};
use tests::test_registry::{DAY, HOUR, TestOptions, TestRegistry};

use super::{inbox, post, said};
use crate::fixtures::live_agent;

async fn read_marks(registry: &TestRegistry, id: &registry::model::ListingId) -> Vec<bool> {
    let shown = inbox(registry, id).await;
    shown["inbox"].as_array().unwrap().iter().map(|message| message["read"].as_bool().unwrap()).collect()
}

#[tokio::test]
async fn what_was_there_at_the_last_noted_visit_is_read() {
    let (registry, _peer, id) = live_agent().await;
    assert_eq!(read_marks(&registry, &id).await, [false]);
    assert_eq!(read_marks(&registry, &id).await, [true]);
    said(&registry, &id, "message", "Hello.").await;
    assert_eq!(read_marks(&registry, &id).await, [false, true]);
    registry.advance(HOUR);
    assert_eq!(read_marks(&registry, &id).await, [false, true], "this visit is noted");
    assert_eq!(read_marks(&registry, &id).await, [true, true]);

    said(&registry, &id, "message", "And again.").await;
    registry.advance(HOUR);
    let first = registry.get(&format!("/api/talk?listing_id={id}&limit=1")).await.body;
    assert_eq!(first["inbox"][0]["read"], false);
    let cursor = first["cursor"].as_str().unwrap();
    let second = registry.get(&format!("/api/talk?listing_id={id}&limit=1&cursor={cursor}")).await.body;
    assert_eq!((&second["inbox"][0]["text"], &second["inbox"][0]["read"]), (&json!("Hello."), &json!(true)));
}

#[tokio::test]
async fn a_visit_costs_one_write_an_hour_and_reading_two_reads() {
    let options = TestOptions::default().without_read_cache().with_rates();
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(agents::newest).await);
    let id = registry.live_card(&peer.card()).await;
    let path = format!("/api/talk?listing_id={id}");
    let cost = async || {
        let before = registry.observer.tally.snapshot();
        assert_eq!(registry.get(&path).await.status, 200);
        let calls = registry.observer.tally.since(&before);
        (calls.total(), calls.of("UpdateItem"))
    };
    assert_eq!(cost().await, (3, 1), "the first visit is noted");
    registry.advance(HOUR - Duration::from_secs(1));
    assert_eq!(cost().await, (2, 0), "no other within the hour is");
    registry.advance(Duration::from_secs(1));
    assert_eq!(cost().await, (3, 1));

    // Its grace is over, and it is not seen: the list shows the visit, so it counts a new version.
    registry.advance_to(crate::fixtures::recheck_at(&registry, &id).await);
    registry.recheck().await;
    // The recheck comes up to a day before the week is over, and the last visit was an hour after it began.
    registry.advance(2 * DAY);
    let before = registry.observer.tally.snapshot();
    registry.get(&path).await;
    let calls = registry.observer.tally.since(&before);
    assert_eq!((calls.total(), calls.of("TransactWriteItems")), (3, 1), "{calls:?}");

    for (action, text) in [("check_in", ""), ("message", "Hello."), ("social", "Hello."), ("owner", "Hello.")]
    {
        let before = registry.observer.tally.snapshot();
        assert_eq!(post(&registry, &id, action, text).await.status, 200);
        let calls = registry.observer.tally.since(&before);
        assert_eq!((calls.total(), calls.of("TransactWriteItems")), (2, 1), "{action}: {calls:?}");
    }
    let before = registry.observer.tally.snapshot();
    assert_eq!(post(&registry, &id, "message", "jane@example.org").await.status, 422);
    assert_eq!(
        registry.observer.tally.since(&before).total(),
        0,
        "what is refused while it is read costs nothing"
    );
}

#[tokio::test]
async fn visitors_at_once_note_one_visit_and_are_all_answered() {
    let (registry, _peer, id) = live_agent().await;
    let path = format!("/api/talk?listing_id={id}");
    let replies = futures::future::join_all((0..8).map(|_| registry.get(&path))).await;
    assert!(replies.iter().all(|reply| reply.status == 200), "{replies:?}");

    // Whoever read the listing before the visit was noted comes too late with his own.
    let noted_at = registry.now();
    registry.advance(HOUR / 2);
    for is_shown_anew in [false, true] {
        registry.app.store.note_visit(&id, registry.now(), is_shown_anew).await.unwrap();
        let listing = registry.app.store.listing(&id).await.unwrap().unwrap();
        assert_eq!(listing.visited_at, Some(noted_at));
    }
}
