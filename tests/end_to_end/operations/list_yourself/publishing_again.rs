//! Tests the answer to an accepted submission, and what happens when an existing listing is published again: by one request
//! after another, and by concurrent requests.

use std::time::Duration;

use futures::future::join_all;
use registry::features::RawArguments;
use registry::model::{Caller, Contact, Lane, Listing};
use tests::fixtures::feed_item;
use tests::prelude::*;

#[tokio::test]
async fn response_contains_the_status_url_to_poll() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let body = json!({ "agent_card_url": peer.card(), "contact_email": "a@example.org" });
    insta::assert_snapshot!(crate::fixtures::shown(&registry, &registry.publish(&body).await));
}

/// Over HTTP, and as calls of one task, in which all calls read before the first one writes.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_publishes_create_one_listing() {
    for by_http in [true, false] {
        let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
        let body = json!({ "agent_card_url": peer.card(), "contact_email": "a@example.org" });
        let answers = join_all((0..32).map(|_| async {
            if by_http {
                return registry.publish(&body).await;
            }
            let publish = registry::features::named("list_yourself").unwrap();
            let arguments = RawArguments::Json(body.clone());
            publish.run(registry.app.clone(), Caller::default(), arguments).await.unwrap()
        }))
        .await;
        let id = id_of(&answers[0]);
        assert!(answers.iter().all(|answer| id_of(answer) == id));
        let first = answers.iter().filter(|answer| answer["status"] == "queued").count();
        assert_eq!(first, 1, "not exactly one call created the listing");
        let table = registry.table().await;
        assert_eq!((table.items_under("LISTING#").len(), table.items_under("CONTACT#").len()), (1, 1));
        assert_eq!(registry.feed_types().await, ["listing_queued"]);
        registry.deliver_events().await;
        assert_eq!((registry.lane(&id).await.as_str(), registry.live_counts().await), ("active", (1, 0)));
        assert_eq!(peer.request_count("SendMessage"), 1, "not exactly one probe was sent");
    }
}

/// Each change reads the listing and then writes it. Of two that read the same state, only the first may be written.
#[tokio::test]
async fn concurrent_changes_of_a_listing_never_overwrite_each_other() {
    let (registry, _peer, id) = crate::fixtures::live_agent().await;
    let store = &registry.app.store;
    let rename = async |read: &Listing, name: &str| {
        let (mut named, contact) = (read.clone(), Contact::default());
        name.clone_into(&mut named.texts.name);
        store.republish(read, &named, None, &contact, None, registry.now()).await.unwrap()
    };
    let read = registry.stored(&id).await;
    assert!(rename(&read, "First Name").await);
    let renamed = registry.table().await;
    assert!(!rename(&read, "Second Name").await, "a second rename");
    let withdrawn = Listing { lane: Lane::Withdrawn, ..read.clone() };
    let news = feed_item("listing_withdrawn", &withdrawn, registry.now());
    assert!(!store.decide(&read, &withdrawn, &news).await.unwrap(), "a withdrawal");
    assert_eq!(renamed.difference(&registry.table().await), [""; 0]);
    assert_eq!(renamed.items_under("NAME#first name").len(), 1, "the name does not lead to the listing");

    let again = registry.stored(&id).await;
    assert_eq!(again.texts.name, "First Name");
    assert!(rename(&again, "Third Name").await);
}

/// Otherwise anybody could send a listing to the end of the queue.
#[tokio::test]
async fn publishing_again_keeps_the_place_in_the_queue() {
    let (registry, peer, id) = crate::fixtures::queued_agent(agents::newest).await;
    let first = registry.stored(&id).await.schedule.due_at;
    registry.advance(TICK * 3);
    assert_eq!(registry.publish_card(&peer.card()).await, id);
    assert_eq!(registry.stored(&id).await.schedule.due_at, first);
}

#[tokio::test]
async fn publishing_again_returns_the_status_duplicate_or_active() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let first = registry.publish(&json!({ "url": peer.card() })).await["listing_id"].clone();
    let again = registry.publish(&json!({ "agent_card_url": format!("  {}#top ", peer.card()) })).await;
    assert_members(&again, &json!({ "listing_id": first, "status": "duplicate" }));
    assert!(again["next"]["wait_s"].is_u64(), "{again}");
    registry.deliver_events().await;
    // There is nothing to wait for, and a stranger renames no Live listing.
    let live = registry.publish(&json!({ "url": peer.card(), "name": "Somebody else's name" })).await;
    assert_members(&live, &json!({ "status": "active", "lane": "active" }));
    assert_eq!(live["next"].get("wait_s"), None, "{live}");
    assert_eq!(registry.status(&id_of(&live)).await["name"], "Adder");
    assert_eq!(registry.feed_types().await, ["listing_live", "listing_queued"], "of the first publish");
    assert_eq!(registry.live_counts().await, (1, 0));
}

/// After it, a listing that is published again is probed at once.
const PAUSE: Duration = Duration::from_secs(30);

/// Otherwise a client that polls reads the result of the probe before its fix.
#[tokio::test]
async fn listing_that_is_published_again_is_queued_until_its_probe() {
    let (registry, peer, id) = crate::fixtures::queued_agent(agents::only(404)).await;
    registry.deliver_events().await;
    assert_eq!(registry.lane(&id).await, "needs_fix");
    registry.advance(PAUSE);
    let again = registry.publish(&json!({ "url": peer.card() })).await;
    assert_members(&again, &json!({ "status": "queued", "lane": "queued" }));
    let status = registry.status(&id).await;
    assert_members(&status, &json!({ "lane": "queued", "/next/action": "poll" }));
    assert!(status["lane_reason"].as_str().unwrap().starts_with("A new probe was requested"), "{status}");
    assert_eq!(registry.reason_codes(&id).await, ["card_404"], "what the last probe found stays known");
    let failing =
        json!({ "lane": "needs_fix", "/liveness/failing_since": status["liveness"]["failing_since"] });
    assert_members(&registry.probed_status(&id).await, &failing);
    registry.advance(PAUSE);
    registry.publish(&json!({ "url": peer.card() })).await;
    peer.answer_with(agents::newest);
    registry.deliver_to_live(&id).await;
}
