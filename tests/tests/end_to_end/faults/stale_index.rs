//! Index reads that are out of date: queries of an index tell the table as it was a while ago. Nobody is probed twice for
//! that, what was withdrawn gets nothing, and all is exact as soon as the index is.

use registry::model::ListingId;
use serde_json::json;
use tests::peers::{Peer, agents};
use tests::test_registry::{TICK, TestOptions, TestRegistry};

use super::told;

async fn listed(registry: &TestRegistry) -> Vec<String> {
    let page = registry.get("/api/listings/active?limit=100").await;
    assert_eq!(page.status, 200, "{page:?}");
    let rows = page.body["agents"].as_array().unwrap();
    rows.iter().map(|row| row["listing_id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_out_of_date_costs_a_moment_and_nothing_else() {
    let options = TestOptions::default().without_read_cache().with_setting("PROBE_WINDOW_CAP", 1000);
    let registry = TestRegistry::start_with(options).await;
    let peer = Peer::start(agents::fleet).await;
    let publish = async |from: usize, to: usize| {
        let mut ids: Vec<ListingId> = Vec::new();
        for number in from..to {
            ids.push(registry.publish_card(&peer.url(&format!("/{number}/card.json"))).await);
        }
        ids
    };
    let live = publish(0, 8).await;
    registry.deliver_events().await;
    let queued = publish(8, 12).await;
    registry.events();
    let older = registry.copy_of_table().await;

    // Behind the index's back: two are withdrawn, the queued go Live, and new ones come.
    for id in &live[..2] {
        let command = json!({ "command": "withdraw", "listing_id": id, "reason": "Spam." });
        operator::handle(&registry.app, command).await.unwrap();
    }
    registry.advance(std::time::Duration::from_secs(1));
    for id in &queued {
        registry.first_probe(id).await;
    }
    let new = publish(12, 15).await;
    registry.events();
    peer.forget_requests();
    registry.observer.faults.read_indexes_from(older);
    for _ in 0..5 {
        registry.tick().await;
        registry.recheck().await;
        registry.advance(TICK);
    }
    let probed = peer.request_names().len();
    let stale = listed(&registry).await;
    for id in &live[..2] {
        assert!(stale.contains(&id.to_string()), "the index that was read is the old one");
        assert_eq!(registry.lane(id).await, "withdrawn", "what is read by its key is not out of date");
        let refused = registry.post("/api/products/demo", &json!({ "listing_id": id })).await;
        assert_eq!(refused.status, 409, "{refused:?}");
    }
    // The stale queue still names what has its verdict, and does not yet name what is new.
    assert_eq!(peer.request_names(), [""; 0], "nothing of what it names is due by its own word");

    registry.observer.faults.disarm();
    registry.tick().await;
    registry.index().await;
    let mut wanted: Vec<String> =
        live[2..].iter().chain(&queued).chain(&new).map(ToString::to_string).collect();
    let mut exact = listed(&registry).await;
    wanted.sort();
    exact.sort();
    assert_eq!(exact, wanted);
    assert_eq!(registry.live_counts().await, (wanted.len() as u64, 0));
    told(
        "stale index reads",
        &format!(
            "5 ticks and rechecks by an index of before {} changes: {probed} requests to peers for it, nothing probed \
             twice, nothing given to what was withdrawn; exact with the first fresh read",
            2 + queued.len() + new.len()
        ),
    );
}
