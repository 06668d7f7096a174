//! Counts the table calls of each request. With more listings, the number of calls must stay the same.

use tests::prelude::*;

use crate::fixtures::live_fleet;

#[tokio::test(flavor = "multi_thread")]
async fn cost_of_a_read_does_not_depend_on_the_number_of_listings() {
    let (registry, _peers, _) = live_fleet(30, 30).await;
    let active = registry.get("/api/listings/active").await;
    let id = active.body["agents"][7]["listing_id"].as_str().unwrap().to_owned();
    let name = active.body["agents"][7]["name"].as_str().unwrap().replace(' ', "%20");
    let table: [(String, u64); 10] = [
        ("/api/listings/active?limit=20".to_owned(), 3),
        ("/api/listings/active?kind=mcp&limit=3".to_owned(), 2),
        // The listing, and the seat counter for its offer.
        (format!("/api/listings/status?id={id}"), 2),
        (format!("/api/listings/status?name={name}"), 4),
        ("/api/feed".to_owned(), 1),
        ("/api/changes?since=0".to_owned(), 3),
        (format!("/badge/clean?id={id}"), 1),
        ("/badge/clean".to_owned(), 0),
        ("/api/probes".to_owned(), 13),
        ("/no/such/path".to_owned(), 0),
    ];
    for (path, limit) in table {
        let (reply, calls) = registry.counted(registry.get(&path)).await;
        assert!(calls.total() <= limit, "{path} cost {calls:?}");
        assert_eq!(calls.of("Scan"), 0, "{path}");
        assert_eq!(reply.status == 200, path != "/no/such/path", "{path}: {reply:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unchanged_list_costs_one_read_and_returns_304() {
    let (registry, [agents, _servers], _) = live_fleet(30, 30).await;
    let tag = registry.get("/api/listings/active").await.header("etag").to_owned();
    let get = registry.get_with("/api/listings/active", ("if-none-match", &tag));
    let (again, calls) = registry.counted(get).await;
    assert_eq!((again.status, calls.total()), (304, 1));
    assert_eq!(again.body, "", "a 304 has no body");

    registry.publish_card(&agents.url("/new/card.json")).await;
    let queued = registry.get_with("/api/listings/active", ("if-none-match", &tag)).await;
    assert_eq!(queued.status, 304, "a queued listing is not in the list");
    registry.deliver_events().await;
    let changed = registry.get_with("/api/listings/active", ("if-none-match", &tag)).await;
    assert_eq!((changed.status, &changed.body["counts"]["agents_active"]), (200, &json!(31)));
    assert_ne!(changed.header("etag"), tag);

    registry.advance(TICK);
    let aged = registry.get_with("/api/listings/active", ("if-none-match", changed.header("etag"))).await;
    assert_eq!(aged.status, 200, "the rows contain their age");
}

#[tokio::test(flavor = "multi_thread")]
async fn server_page_is_cached_until_a_listing_changes() {
    let (registry, [_agents, server], _) = live_fleet(0, 60).await;
    registry.index().await;
    let path = "/v0.1/servers?limit=100";
    let warm = registry.get("/v0.1/servers?limit=1").await;
    assert_eq!(warm.body["metadata"]["count"], 1);

    let (first, calls) = registry.counted(registry.get(path)).await;
    assert_eq!((first.status, &first.body["metadata"]["count"]), (200, &json!(60)));
    // Live counts, index, and rows without evidence: with evidence the rows would be 120 keys and two batches.
    assert_eq!((calls.of("BatchGetItem"), calls.total()), (1, 3), "{calls:?}");

    let (again, calls) = registry.counted(registry.get(path)).await;
    assert_eq!((&again.body, calls.of("BatchGetItem"), calls.total()), (&first.body, 0, 2), "{calls:?}");
    let unchanged = registry.get_with(path, ("if-none-match", first.header("etag"))).await;
    assert_eq!((unchanged.status, unchanged.header("etag")), (304, first.header("etag")));

    let new = registry.publish_mcp(&server.url("/new/mcp")).await;
    assert_eq!(registry.get(path).await.body, first.body, "a queued listing is not in the list");
    registry.first_probe(&new).await;
    registry.index().await;
    let changed = registry.get_with(path, ("if-none-match", first.header("etag"))).await;
    assert_eq!((changed.status, &changed.body["metadata"]["count"]), (200, &json!(61)));
}

#[tokio::test(flavor = "multi_thread")]
async fn first_probe_costs_two_transactions_and_at_most_six_other_calls() {
    let options = TestOptions::default().delivered_once();
    let registry = TestRegistry::start_with(options.with_setting("PROBE_WINDOW_CAP", 1000)).await;
    let agents = Peer::start(agents::fleet).await;
    registry.publish_fleet(&agents, 0..30).await;
    registry.deliver_events().await;
    let id = registry.publish_card(&agents.url("/x/card.json")).await;
    let (_, calls) = registry.counted(registry.first_probe(&id)).await;
    assert_eq!(registry.lane(&id).await, "active");
    // One transaction takes the budget and one writes the verdict. One of the other calls checks whether the evidence
    // log is due, and two lease a slot at the host and end the lease.
    assert_eq!(calls.of("TransactWriteItems"), 2, "{calls:?}");
    assert!(calls.total() <= 2 + 6, "{calls:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn cost_of_an_idle_tick_does_not_depend_on_the_number_of_listings() {
    let mut costs = Vec::new();
    for listed in [0, 30] {
        let registry = TestRegistry::start_with(TestOptions::default().delivered_once()).await;
        let agents = Peer::start(agents::fleet).await;
        registry.publish_fleet(&agents, 0..listed).await;
        registry.deliver_events().await;
        // The first tick of an hour may count overdue listings.
        registry.tick().await;
        registry.advance(TICK);
        costs.push(registry.counted(registry.tick()).await.1);
    }
    assert_eq!(costs[0], costs[1]);
    // One call reads which proofs may be renewed. Two calls measure the recheck lag for the alarm. One call each checks for
    // a late count, for a waiting leaf of the evidence log, for a change without a number, for a waiting change of the
    // search index, and for the sample of the hour. The others check for attestations without a leaf, a requested change of
    // the log key, cosignatures, flagged payments and the counts of Live listings.
    assert!(costs[0].total() <= 21, "{costs:?}");
}
