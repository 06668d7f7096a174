//! Lets each table operation of a request fail, one after another, with every kind of fault. The caller gets
//! 503 with `retry-after`, no transaction is half written, and a retry succeeds. The faults are injected at
//! the connector, because no local engine produces them.

use std::sync::Arc;

use tests::prelude::*;

/// Faults of calls that change nothing.
const FAULTS_WITHOUT_EFFECT: [Fault; 3] = [Fault::Throttle, Fault::Timeout, Fault::ServiceError];

/// More than the attempts of the SDK.
const ALL_ATTEMPTS: usize = 8;

/// The reply is 503 with `retry-after` and contains no internal details.
pub(super) fn assert_busy(reply: &Reply, what: &str) {
    assert_eq!((reply.status, &reply.body["code"]), (503, &json!("busy")), "{what}: {reply:?}");
    reply.assert_problem();
    assert!(reply.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds > 0), "{what}: {reply:?}");
    let text = reply.body.to_string();
    for internal in
        ["injected", "dynamodb", "Throttling", "SdkError", "InternalServerError", "TransactWriteItems"]
    {
        assert!(!text.contains(internal), "{what}: the reply contains `{internal}`: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_request_changes_nothing_and_succeeds_when_it_is_repeated() {
    for fault in FAULTS_WITHOUT_EFFECT {
        let (registry, _peer, id) = crate::fixtures::live_agent().await;
        let broken = Peer::start(agents::only(404)).await;
        registry.publish_card(&broken.card()).await;
        registry.deliver_events().await;
        registry.advance(TICK);
        // Without rate limits, because failed requests count there, and without deposits, which a later request writes.
        let stored = async || registry.table().await.without(&["CALLER_KEYS", "RATE#", "TRAIL"]);
        for (path, operation) in [
            ("/api/publish", "GetItem"),
            ("/api/publish", "TransactWriteItems"),
            ("/api/products/demo", "TransactWriteItems"),
            ("/api/products/feedback", "TransactWriteItems"),
        ] {
            let what = format!("{fault:?} at {operation} of {path}");
            let body = match path {
                "/api/publish" => json!({ "agent_card_url": broken.card(), "name": operation }),
                "/api/products/demo" => json!({ "listing_id": id }),
                _ => registry.draft(&id).await,
            };
            let before = stored().await;
            let post = registry.post(path, &body);
            assert_busy(&registry.with_fault(operation, fault, ALL_ATTEMPTS, post).await, &what);
            assert_eq!(before.difference(&stored().await), [""; 0], "{what}");
            assert_eq!(registry.post(path, &body).await.status, 200, "{what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transient_faults_are_retried() {
    for fault in [Fault::Throttle, Fault::Timeout, Fault::ServiceError, Fault::TransactionConflict] {
        let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
        for operation in ["TransactWriteItems", "GetItem", "UpdateItem"] {
            let single = fault == Fault::TransactionConflict && operation != "TransactWriteItems";
            registry.observer.faults.arm(operation, fault, if single { 0 } else { 2 });
        }
        registry.live_card(&peer.card()).await;
        assert_eq!(registry.live_counts().await, (1, 0), "{fault:?}");
        assert_eq!(registry.feed_types().await.len(), 2, "{fault:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn write_conflicts_are_retried_and_then_return_busy() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    for conflicts in 1..=6 {
        registry.observer.faults.arm("TransactWriteItems", Fault::TransactionConflict, conflicts);
        let answer = registry.publish(&json!({ "url": peer.url(&format!("/{conflicts}/card.json")) })).await;
        assert_eq!(answer["status"], "queued", "{conflicts} conflicts");
    }
    let body = json!({ "url": peer.url("/7/card.json") });
    let post = registry.post("/api/publish", &body);
    let busy = registry.with_fault("TransactWriteItems", Fault::TransactionConflict, 100, post).await;
    assert_busy(&busy, "conflicts");
    assert_eq!(registry.feed_types().await.len(), 6);
}

/// Arms a fault when a sound agent gets the request `when`, so that the next operation of the sweep meets it.
fn arm_at(
    registry: &TestRegistry,
    peer: &Peer,
    [when, operation]: [&'static str; 2],
    fault: Fault,
    times: usize,
) {
    let observer = registry.observer.clone();
    peer.answer_with(move |request| {
        if request.name() == when {
            observer.faults.arm(operation, fault, times);
        }
        agents::newest(request)
    });
}

/// Each operation between an event and its verdict, after the request to the peer that comes before it. Empty: the
/// operation comes before all requests.
const VERDICT_OPERATIONS: [(&str, &str); 4] = [
    ("", "UpdateItem"),
    ("GET /.well-known/agent-card.json", "TransactWriteItems"),
    ("SendMessage", "BatchGetItem"),
    ("SendMessage", "TransactWriteItems"),
];

#[tokio::test(flavor = "multi_thread")]
async fn next_tick_repeats_a_probe_if_its_result_was_not_stored() {
    for fault in FAULTS_WITHOUT_EFFECT {
        for (when, operation) in VERDICT_OPERATIONS {
            let what = format!("{fault:?} at {operation} after `{when}`");
            let (registry, peer, id) = crate::fixtures::queued_agent(agents::newest).await;
            let stored =
                async || registry.table().await.without(&["LISTING#", "BUDGET#", "KEY#MESSAGE", "PROBING#"]);
            let before = stored().await;
            if when.is_empty() {
                registry.observer.faults.arm(operation, fault, ALL_ATTEMPTS);
            } else {
                arm_at(&registry, &peer, [when, operation], fault, ALL_ATTEMPTS);
            }
            // The function may report the failure or leave the listing until its lease expires.
            let _delivered =
                registry.try_run("probe-tick", tests::test_registry::listing_queued_event(&id)).await;
            registry.observer.faults.disarm();
            peer.answer_with(agents::newest);

            assert_eq!(registry.lane(&id).await, "queued", "{what}");
            assert_eq!(before.difference(&stored().await), [""; 0], "{what}: half a verdict was written");
            registry.tick_after(TICK).await;
            let status = registry.status(&id).await;
            assert_eq!(status["lane"], "active", "{what}: {status}");
            assert_eq!(registry.live_counts().await, (1, 0));
            assert_eq!(registry.feed_types().await, ["listing_live", "listing_queued"]);
            let outcomes = registry.probe_statistics().await["outcomes"].clone();
            assert_eq!((&outcomes["handshake"]["ok"], &outcomes["unique_primaries"]), (&json!(1), &json!(1)));
        }
    }
}

/// Covers every operation of a tick; the faults last for the whole tick.
#[tokio::test(flavor = "multi_thread")]
async fn next_tick_does_the_work_of_a_failed_tick() {
    for operation in ["PutItem", "BatchGetItem", "Query", "UpdateItem", "TransactWriteItems", "GetItem"] {
        let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
        let ids = registry.publish_fleet(&peer, 0..3).await;
        let tick = registry.try_run("probe-tick", json!({ "detail-type": "probe-tick" }));
        let _report = registry.with_fault(operation, Fault::Throttle, 1000, tick).await;
        registry.tick_after(TICK).await;
        for id in &ids {
            assert_eq!(registry.lane(id).await, "active", "{operation}");
        }
        assert_eq!(registry.live_counts().await, (3, 0), "{operation}");
        assert_eq!(registry.feed_types().await.len(), 6, "{operation}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_recheck_job_does_not_demote_a_listing() {
    for operation in ["Query", "UpdateItem", "TransactWriteItems"] {
        let (registry, _peer, id) = crate::fixtures::live_agent().await;
        registry.advance(HOUR * 24 * 6 + HOUR * 12);
        let recheck = registry.try_run("weekly-recheck", Value::Null);
        let _report = registry.with_fault(operation, Fault::ServiceError, 1000, recheck).await;
        assert_eq!(registry.lane(&id).await, "active", "{operation}");
        assert_eq!(registry.live_counts().await, (1, 0), "{operation}");
        assert_eq!(registry.recheck_after(HOUR).await["ok"], 1, "{operation}");
        let statistics = registry.probe_statistics().await;
        assert_eq!(statistics["weekly_recheck"]["still_ok_this_week"], 1, "{operation}");
    }
}

/// When the budget is used up, the tick releases its listings. If the table fails then, the others are still probed.
#[tokio::test(flavor = "multi_thread")]
async fn failed_release_of_a_listing_does_not_stop_other_probes() {
    let options = TestOptions::default().with_setting("PROBE_WINDOW_CAP", 2);
    let registry = TestRegistry::start_with(options.with(|settings| settings.probes_per_tick = 64)).await;
    let observer = registry.observer.clone();
    let seen = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    // Another sweep takes one probe after this sweep read the budget and before it takes its own.
    let app = registry.app.clone();
    let peer = Peer::start(move |request| {
        if request.verb == "GET" && seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 1 {
            let (app, observer) = (app.clone(), observer.clone());
            let caps = registry::store::Caps { window: 2, hour: 1920, day: 100_000 };
            let share = registry::store::Share::default();
            tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current()
                    .block_on(app.store.take_probes(1, &share, caps, app.clock.now()))
                    .unwrap();
            });
            observer.faults.arm("UpdateItem", Fault::Throttle, ALL_ATTEMPTS);
        }
        agents::fleet(request)
    })
    .await;
    registry.publish_fleet(&peer, 0..2).await;
    let _report = registry.try_run("probe-tick", json!({ "detail-type": "probe-tick" })).await;
    registry.observer.faults.disarm();
    assert_eq!(registry.live_counts().await, (1, 0), "the granted probe: {:?}", peer.request_names());
    registry.tick_after(TICK).await;
    assert_eq!(registry.live_counts().await, (2, 0));
}

/// The write succeeds and its reply is lost, so that the SDK writes again.
#[tokio::test(flavor = "multi_thread")]
async fn write_is_not_done_twice_if_its_reply_is_lost() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    registry.observer.faults.arm("TransactWriteItems", Fault::AnswerLost, 1);
    let id = registry.publish_card(&peer.card()).await;
    assert_eq!(registry.feed_types().await, ["listing_queued"]);

    arm_at(&registry, &peer, ["SendMessage", "TransactWriteItems"], Fault::AnswerLost, 1);
    registry.advance(std::time::Duration::from_secs(1));
    registry.first_probe(&id).await;
    registry.observer.faults.disarm();
    assert_eq!((registry.lane(&id).await.as_str(), registry.live_counts().await), ("active", (1, 0)));
    assert_eq!(registry.feed_types().await, ["listing_live", "listing_queued"]);
    assert_eq!(registry.probe_statistics().await["outcomes"]["handshake"]["ok"], 1);
}
