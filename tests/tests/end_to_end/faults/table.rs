//! The table fails in every way it can, at every operation of a request in turn: the caller is told to come back,
//! nothing is half written, and coming back succeeds. What real tables do is injected at the connector, because no
//! local engine does it.

use std::sync::Arc;

use local::Observer;
use local::engine::instrumented::Fault;
use serde_json::{Value, json};
use tests::peers::{Peer, PeerRequest, agents};
use tests::test_registry::{HOUR, Reply, TICK, Table, TestOptions, TestRegistry, id_of};

/// Faults after which nothing was done.
const NOTHING_DONE: [Fault; 3] = [Fault::Throttle, Fault::Timeout, Fault::ServiceError];

/// More than the SDK tries.
const FOR_GOOD: usize = 8;

/// The caller is told to come back, and nothing of what is beneath.
pub(super) fn assert_busy(reply: &Reply, what: &str) {
    assert_eq!((reply.status, &reply.body["code"]), (503, &json!("busy")), "{what}: {reply:?}");
    reply.assert_problem();
    assert!(reply.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds > 0), "{what}: {reply:?}");
    let told = reply.body.to_string();
    for inside in
        ["injected", "dynamodb", "Throttling", "SdkError", "InternalServerError", "TransactWriteItems"]
    {
        assert!(!told.contains(inside), "{what}: `{inside}` got out: {told}");
    }
}

/// The table without what counts requests: a request that failed was a request.
async fn kept(registry: &TestRegistry) -> Table {
    registry.table().await.without(&["RATE#"])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publish_that_meets_a_fault_is_whole_or_not_at_all() {
    for fault in NOTHING_DONE {
        for (operation, rates) in
            [("TransactWriteItems", "on"), ("GetItem", "on"), ("TransactWriteItems", "off")]
        {
            let what = format!("{fault:?} at {operation}, rates {rates}");
            let registry =
                TestRegistry::start_with(TestOptions::default().with_setting("RATE_LIMITS", rates)).await;
            let peer = Peer::start(agents::newest).await;
            let body =
                json!({ "agent_card_url": peer.card(), "contact_email": "a@example.org", "name": "Early" });
            registry.observer.faults.arm(operation, fault, FOR_GOOD);
            let reply = registry.post("/api/publish", &body).await;
            assert_busy(&reply, &what);
            assert_eq!(kept(&registry).await.keys(), [""; 0], "{what}");
            assert_eq!(registry.events().len(), 0, "{what}: nothing is announced that is not there");

            registry.observer.faults.disarm();
            let answer = registry.publish(&body).await;
            assert_eq!(answer["status"], "queued", "{what}");
            let table = kept(&registry).await;
            let kinds = ["LISTING#", "CONTACT#", "NAME#", "FEED"].map(|kind| table.items_under(kind).len());
            assert_eq!(kinds, [1, 1, 1, 1], "{what}: {:?}", table.keys());
            registry.deliver_events().await;
            assert_eq!(registry.lane(&id_of(&answer)).await, "active", "{what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publish_again_that_meets_a_fault_changes_nothing() {
    for fault in NOTHING_DONE {
        for operation in ["GetItem", "TransactWriteItems"] {
            let what = format!("{fault:?} at {operation}");
            let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::only(404)).await);
            let id = registry.publish_card(&peer.card()).await;
            registry.deliver_events().await;
            registry.advance(TICK);
            let before = kept(&registry).await;
            registry.observer.faults.arm(operation, fault, FOR_GOOD);
            let body = json!({ "agent_card_url": peer.card(), "name": "Anew" });
            assert_busy(&registry.post("/api/publish", &body).await, &what);
            assert_eq!(before.difference(&kept(&registry).await), [""; 0], "{what}");
            registry.observer.faults.disarm();
            peer.answer_with(agents::newest);
            registry.events();
            registry.publish(&body).await;
            registry.deliver_events().await;
            assert_eq!(registry.lane(&id).await, "active", "{what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transient_faults_are_retried_unnoticed() {
    for fault in [Fault::Throttle, Fault::Timeout, Fault::ServiceError, Fault::TransactionConflict] {
        let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
        for operation in ["TransactWriteItems", "GetItem", "UpdateItem"] {
            let single = fault == Fault::TransactionConflict && operation != "TransactWriteItems";
            registry.observer.faults.arm(operation, fault, if single { 0 } else { 2 });
        }
        registry.live_card(&peer.card()).await;
        assert_eq!(
            (registry.live_counts().await, registry.feed_types().await.len()),
            ((1, 0), 2),
            "{fault:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conflicts_are_waited_out_and_end_as_busy_not_as_a_fault() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    for conflicts in 1..=6 {
        registry.observer.faults.arm("TransactWriteItems", Fault::TransactionConflict, conflicts);
        let answer = registry.publish(&json!({ "url": peer.url(&format!("/{conflicts}/card.json")) })).await;
        assert_eq!(answer["status"], "queued", "{conflicts} conflicts");
    }
    registry.observer.faults.arm("TransactWriteItems", Fault::TransactionConflict, 100);
    assert_busy(
        &registry.post("/api/publish", &json!({ "url": peer.url("/7/card.json") })).await,
        "conflicts",
    );
    registry.observer.faults.disarm();
    assert_eq!(registry.feed_types().await.len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_that_meet_a_fault_say_so_and_recover() {
    let registry = TestRegistry::start_with(TestOptions::default().without_read_cache()).await;
    let peer = Peer::start(agents::newest).await;
    let id = registry.live_card(&peer.card()).await;
    let reads = [
        (format!("/api/listings/status?id={id}"), "BatchGetItem"),
        ("/api/listings/status?name=Adder".to_owned(), "Query"),
        ("/api/listings/status?name=Adder".to_owned(), "BatchGetItem"),
        ("/api/listings/active".to_owned(), "Query"),
        ("/api/feed".to_owned(), "Query"),
        (format!("/badge/clean?id={id}"), "GetItem"),
        ("/api/probes".to_owned(), "Query"),
        ("/api/probes".to_owned(), "BatchGetItem"),
        ("/discovery.json".to_owned(), "GetItem"),
    ];
    for fault in NOTHING_DONE {
        for (path, operation) in &reads {
            registry.observer.faults.arm(operation, fault, 100);
            assert_busy(&registry.get(path).await, &format!("{fault:?} at {operation} of {path}"));
            registry.observer.faults.disarm();
            assert_eq!(registry.get(path).await.status, 200, "{path}");
        }
    }
}

/// A sound agent that arms a fault when it is asked for `when`: whatever the sweep does next meets it.
fn arming(
    observer: &Observer,
    when: &'static str,
    operation: &'static str,
    fault: Fault,
) -> impl Fn(&PeerRequest) -> axum::response::Response + Send + Sync + 'static {
    let observer = observer.clone();
    move |asked| {
        if asked.name() == when {
            observer.faults.arm(operation, fault, FOR_GOOD);
        }
        agents::newest(asked)
    }
}

/// Each operation between an event and its verdict, by what the peer is asked before it; nothing means before all.
const VERDICT: [(&str, &str); 4] = [
    ("", "UpdateItem"),
    ("GET /.well-known/agent-card.json", "TransactWriteItems"),
    ("SendMessage", "BatchGetItem"),
    ("SendMessage", "TransactWriteItems"),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_verdict_that_is_not_written_is_reached_again() {
    for fault in NOTHING_DONE {
        for (when, operation) in VERDICT {
            let what = format!("{fault:?} at {operation} after `{when}`");
            let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
            let id = registry.publish_card(&peer.card()).await;
            let before = registry.table().await.without(&["LISTING#", "BUDGET#"]);
            if when.is_empty() {
                registry.observer.faults.arm(operation, fault, FOR_GOOD);
            } else {
                peer.answer_with(arming(&registry.observer, when, operation, fault));
            }
            // Whether the function reports the failure or leaves the listing to its lease is its own affair.
            let _delivered =
                probe_tick::handle(&registry.app, tests::test_registry::listing_queued_event(&id)).await;
            registry.observer.faults.disarm();
            peer.answer_with(agents::newest);

            assert_eq!(registry.lane(&id).await, "queued", "{what}");
            let after = registry.table().await.without(&["LISTING#", "BUDGET#"]);
            assert_eq!(before.difference(&after), [""; 0], "{what}: half a verdict was written");
            registry.advance(TICK);
            registry.tick().await;
            let status = registry.status(&id).await;
            assert_eq!(status["lane"], "active", "{what}: {status}");
            assert_eq!(
                (registry.live_counts().await, registry.feed_types().await),
                ((1, 0), vec!["listing_live".to_owned(), "listing_queued".to_owned()])
            );
            let outcomes = registry.probe_statistics().await["outcomes"].clone();
            assert_eq!(
                (&outcomes["handshake"]["ok"], &outcomes["unique_primaries"]),
                (&json!(1), &json!(1)),
                "{what}"
            );
        }
    }
}

/// Every operation that a tick does; the faults last for the whole tick.
#[tokio::test(flavor = "multi_thread")]
async fn a_tick_that_meets_a_fault_is_made_good_by_the_next() {
    for operation in ["PutItem", "BatchGetItem", "Query", "UpdateItem", "TransactWriteItems", "GetItem"] {
        let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
        let mut ids = Vec::new();
        for folder in 0..3 {
            ids.push(registry.publish_card(&peer.url(&format!("/{folder}/card.json"))).await);
        }
        registry.observer.faults.arm(operation, Fault::Throttle, 1000);
        let _report = probe_tick::handle(&registry.app, json!({ "detail-type": "probe-tick" })).await;
        registry.observer.faults.disarm();
        registry.advance(TICK);
        registry.tick().await;
        for id in &ids {
            assert_eq!(registry.lane(id).await, "active", "{operation}");
        }
        assert_eq!(
            (registry.live_counts().await, registry.feed_types().await.len()),
            ((3, 0), 6),
            "{operation}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recheck_that_meets_a_fault_costs_no_listing_its_place() {
    for operation in ["Query", "UpdateItem", "TransactWriteItems"] {
        let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
        let id = registry.live_card(&peer.card()).await;
        registry.advance(HOUR * 24 * 6 + HOUR * 12);
        registry.observer.faults.arm(operation, Fault::ServiceError, 1000);
        let _report = weekly_recheck::handle(&registry.app, Value::Null).await;
        registry.observer.faults.disarm();
        assert_eq!(
            (registry.lane(&id).await.as_str(), registry.live_counts().await),
            ("active", (1, 0)),
            "{operation}"
        );
        registry.advance(HOUR);
        assert_eq!(registry.recheck().await["ok"], 1, "{operation}");
        assert_eq!(
            registry.probe_statistics().await["weekly_recheck"]["still_ok_this_week"],
            1,
            "{operation}"
        );
    }
}

/// A budget that is used up gives listings back; that the table fails just then must not cost the others their probe.
#[tokio::test(flavor = "multi_thread")]
async fn a_listing_that_cannot_be_given_back_costs_no_other_its_probe() {
    let registry = TestRegistry::start_with(
        TestOptions::default().with_setting("PROBE_WINDOW_CAP", 2).with_setting("PROBES_PER_TICK", 64),
    )
    .await;
    let observer = registry.observer.clone();
    let seen = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    // Another sweep spends one probe between this sweep's look at the budget and its taking.
    let app = registry.app.clone();
    let peer = Peer::start(move |asked| {
        if asked.verb == "GET" && seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 1 {
            let (app, observer) = (app.clone(), observer.clone());
            let caps = registry::store::Caps { window: 2, hour: 1920, day: 100_000 };
            tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current()
                    .block_on(app.store.take_probes(1, caps, app.clock.now()))
                    .unwrap();
            });
            observer.faults.arm("UpdateItem", Fault::Throttle, FOR_GOOD);
        }
        agents::fleet(asked)
    })
    .await;
    for folder in 0..2 {
        registry.publish_card(&peer.url(&format!("/{folder}/card.json"))).await;
    }
    let _report = probe_tick::handle(&registry.app, json!({ "detail-type": "probe-tick" })).await;
    registry.observer.faults.disarm();
    assert_eq!(
        registry.live_counts().await,
        (1, 0),
        "the probe that was granted was made: {:?}",
        peer.request_names()
    );
    registry.advance(TICK);
    registry.tick().await;
    assert_eq!(registry.live_counts().await, (2, 0));
}

/// The write was done and its answer lost, so that the SDK writes again.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_whose_answer_was_lost_is_not_done_twice() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    registry.observer.faults.arm("TransactWriteItems", Fault::AnswerLost, 1);
    let id = registry.publish_card(&peer.card()).await;
    assert_eq!(registry.feed_types().await, ["listing_queued"]);

    peer.answer_with(arming_once(&registry.observer, "SendMessage", "TransactWriteItems", Fault::AnswerLost));
    registry.advance(std::time::Duration::from_secs(1));
    registry.first_probe(&id).await;
    registry.observer.faults.disarm();
    assert_eq!((registry.lane(&id).await.as_str(), registry.live_counts().await), ("active", (1, 0)));
    assert_eq!(registry.feed_types().await, ["listing_live", "listing_queued"]);
    assert_eq!(registry.probe_statistics().await["outcomes"]["handshake"]["ok"], 1);
}

fn arming_once(
    observer: &Observer,
    when: &'static str,
    operation: &'static str,
    fault: Fault,
) -> impl Fn(&PeerRequest) -> axum::response::Response + Send + Sync + 'static {
    let observer = observer.clone();
    move |asked| {
        if asked.name() == when {
            observer.faults.arm(operation, fault, 1);
        }
        agents::newest(asked)
    }
}

/// Half of all calls fail, at random, for a day of ticks; then none does.
#[tokio::test(flavor = "multi_thread")]
async fn with_half_of_all_calls_failing_everything_good_goes_live_and_the_counters_are_right() {
    for (seed, fault) in [(1, Fault::Throttle), (2, Fault::Timeout), (3, Fault::AnswerLost)] {
        let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
        let mut taken = Vec::new();
        registry.observer.faults.arm_by_chance(&[], fault, 500, seed);
        for folder in 0..12 {
            let body = json!({ "url": peer.url(&format!("/{folder}/card.json")) });
            let reply = registry.post("/api/publish", &body).await;
            match reply.status {
                200 => taken.push(id_of(&reply.body)),
                _ => assert_busy(&reply, "random faults"),
            }
        }
        for _ in 0..10 {
            let _report = probe_tick::handle(&registry.app, json!({ "detail-type": "probe-tick" })).await;
            registry.advance(TICK);
        }
        registry.observer.faults.disarm();
        registry.advance(HOUR);
        registry.tick().await;
        for id in &taken {
            assert_eq!(
                registry.lane(id).await,
                "active",
                "{fault:?}: acknowledged, so it is kept and probed"
            );
        }
        let rows =
            registry.get("/api/listings/active?limit=100").await.body["agents"].as_array().unwrap().len();
        let feed = registry.feed_types().await;
        let live = feed.iter().filter(|what| *what == "listing_live").count();
        let queued = feed.iter().filter(|what| *what == "listing_queued").count();
        assert_eq!(registry.live_counts().await, (rows as u64, 0), "{fault:?}");
        assert_eq!((live, queued), (rows, rows), "{fault:?}: news once for each");
        assert!(rows >= taken.len(), "{fault:?}");
    }
}
