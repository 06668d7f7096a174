//! Tests the `daily-connector` schedule, which invites listings to the demo. The tests move the clock. They check the
//! daily budget of invitations, the pause between two invitations to a listing, and which listings get no invitation.
//! Each day has one connector (a listing that connects other listings), which is not picked again within thirty days.
//! Invitations are delivered over A2A only once, and not to a host that returned `retry-after`. The limits hold for any
//! sequence of runs, days and failures.

use std::collections::{BTreeMap, BTreeSet};

use axum::response::IntoResponse as _;
use futures::future::join_all;
use proptest::prelude::*;
use registry::model::Moment;
use registry::outreach::texts::OPT_OUT_PATH;
use tests::prelude::*;
use tests::test_registry::{Table, snapshot_of};

use crate::fixtures::{demote, go_live_again, live_agent, live_agent_with, live_agents, time, values_of};

/// No rechecks while these tests move the clock by months.
fn without_rechecks() -> TestOptions {
    TestOptions::default().with_setting("RECHECK_DAYS", 365).with_setting("PROBE_WINDOW_CAP", 1000)
}

/// An agent whose card describes a router.
fn router(request: &PeerRequest) -> axum::response::Response {
    let folder = request.path.strip_suffix("/card.json").or_else(|| request.path.strip_suffix(CARD));
    match (request.verb.as_str(), folder) {
        ("GET", Some(folder)) => {
            let name = format!("Relay Router{}", folder.replace('/', " "));
            let mut card = agents::card_at(&name, &format!("{}{folder}/rpc", request.origin()));
            card["description"] = json!("A gateway between A2A agents and MCP servers.");
            json_answer(200, &card)
        }
        ("POST", _) => agents::speaks_newest(request),
        _ => empty(404),
    }
}

/// Every outreach message: recipient, kind and time.
fn messages(table: &Table) -> Vec<(String, String, Moment)> {
    let read = |item: &&Value| {
        let message: Value = serde_json::from_str(item["message"].as_str().unwrap()).unwrap();
        let text = |name: &str| message[name].as_str().unwrap().to_owned();
        assert_eq!(message["channel"], "registry", "{message}");
        (text("to"), text("kind"), time(&message["at"]))
    };
    let is_touch = |(_, kind, _): &(String, String, Moment)| kind == "demo_invitation" || kind == "connector";
    table.items_under("INBOX#").iter().map(read).filter(is_touch).collect()
}

async fn message_count(registry: &TestRegistry, id: &ListingId) -> usize {
    messages(&registry.table().await).iter().filter(|(to, ..)| to == id.as_str()).count()
}

#[tokio::test]
async fn invitation_contains_its_reason_and_the_opt_out() {
    let (registry, peer, id) = live_agent().await;
    peer.forget_requests();
    assert_eq!(registry.reach_out().await["invited"], 1);
    assert_eq!(peer.request_names(), [""; 0], "delivery over A2A is off by default");
    let table = registry.table().await;
    let items = table.items_under(&format!("INBOX#{id} "));
    let read = |item: &&Value| serde_json::from_str(item["message"].as_str().unwrap()).unwrap();
    let all: Vec<Value> = items.iter().map(read).collect();
    let [message] = all.iter().filter(|message| message["kind"] != "welcome").collect::<Vec<_>>()[..] else {
        panic!("expected one invitation: {all:?}");
    };
    let (base, message_id) = (registry.url(""), message["id"].as_str().unwrap());
    let score = format!("with {} of", registry.status(&id).await["probe"]["score"]);
    let names =
        [(message_id, "[message]"), (id.as_str(), "[id]"), (&base, "[base]"), (&score, "with [score] of")];
    insta::assert_snapshot!(snapshot_of(message, &names));
}

#[tokio::test]
async fn listing_gets_at_most_one_invitation_in_thirty_days() {
    let (registry, _peer, id) = live_agent_with(without_rechecks()).await;
    assert_eq!(registry.reach_out().await["invited"], 1);
    let invited_at = registry.now();
    for _ in 0..29 {
        registry.advance(DAY);
        assert_eq!(registry.reach_out().await["invited"], 0);
    }
    registry.advance_to(invited_at + jiff::SignedDuration::from_secs(30 * 24 * 3600 - 1));
    assert_eq!(registry.reach_out().await["invited"], 0, "one second before the pause ends");
    registry.advance(std::time::Duration::from_secs(1));
    assert_eq!(registry.reach_out().await["invited"], 1);
    assert_eq!(message_count(&registry, &id).await, 2);
}

#[tokio::test]
async fn invitation_budget_is_counted_per_utc_day() {
    let (registry, _peer, _) = live_agents(without_rechecks(), 30).await;
    registry.advance_to("2026-11-20T23:30:00Z".parse().unwrap());
    assert_eq!(registry.reach_out().await["invited"], 12, "up to 49 Live listings: 12");
    assert_eq!(registry.reach_out().await["invited"], 0);
    registry.advance_to("2026-11-20T23:59:59.999Z".parse().unwrap());
    assert_eq!(registry.reach_out().await["invited"], 0);
    registry.advance_to("2026-11-21T00:00:00Z".parse().unwrap());
    assert_eq!(registry.reach_out().await["invited"], 12);
    registry.advance(DAY);
    assert_eq!(registry.reach_out().await["invited"], 6, "only six listings without an invitation are left");
    let recipients: BTreeSet<String> =
        messages(&registry.table().await).into_iter().map(|(to, ..)| to).collect();
    assert_eq!(recipients.len(), 30, "each listing got one invitation");
}

#[tokio::test]
async fn invitation_budget_can_be_scaled_and_turned_off() {
    for (percent, invited) in [(0, 0), (50, 6), (150, 14)] {
        let options = without_rechecks().with_setting("OUTREACH_BUDGET_PERCENT", percent);
        let (registry, _peer, _) = live_agents(options, 14).await;
        assert_eq!(registry.reach_out().await["invited"], invited, "{percent} %");
    }
}

#[tokio::test]
async fn opted_out_listing_gets_no_messages() {
    let (registry, peer) = (TestRegistry::start_with(without_rechecks()).await, Peer::start(router).await);
    let id = registry.live_card(&peer.card()).await;
    registry.index().await;
    let out = registry.post(OPT_OUT_PATH, &json!({ "listing_id": id, "action": "opt_out" })).await;
    assert_eq!((out.status, &out.body["opted_out"]), (200, &json!(true)), "{out:?}");
    for _ in 0..40 {
        let report = registry.reach_out().await;
        assert_eq!((&report["invited"], &report["connector"]), (&json!(0), &json!(null)));
        registry.advance(DAY);
    }
    assert_eq!(message_count(&registry, &id).await, 0);

    let listing = registry.app.store.listing(&id).await.unwrap().unwrap();
    assert!(registry::outreach::opt_in(&registry.app, &listing).await.unwrap());
    assert_eq!(registry.reach_out().await["connector"], json!(id), "after opt-in it can be picked");
    assert_eq!(message_count(&registry, &id).await, 1);
}

#[tokio::test]
async fn opted_out_listing_stays_opted_out_after_a_demotion() {
    let (registry, peer, id) = live_agent().await;
    registry.post(OPT_OUT_PATH, &json!({ "listing_id": id })).await;
    demote(&registry, &peer, &id).await;
    go_live_again(&registry, &peer, &id).await;
    assert_eq!(registry.reach_out().await["invited"], 0);
}

#[tokio::test]
async fn failing_listing_is_not_invited_as_live() {
    let (registry, peer, id) = live_agent().await;
    peer.answer_with(agents::only(404));
    registry.tick_after(HOUR * 9).await;
    assert_eq!(registry.status(&id).await["liveness"]["state"], "failing");
    assert_eq!(registry.reach_out().await["invited"], 0);
    assert_eq!(registry.get(OPT_OUT_PATH).await.body["first_message_queue"], 1, "only postponed");
}

#[tokio::test]
async fn demotion_stops_invitations_and_does_not_shorten_the_pause_between_them() {
    let (registry, peer, id) = live_agent().await;
    demote(&registry, &peer, &id).await;
    assert_eq!(registry.reach_out().await["invited"], 0);
    let waiting = registry.get(OPT_OUT_PATH).await.body;
    assert_eq!(waiting["first_message_queue"], 0, "a demoted one is not queued");

    go_live_again(&registry, &peer, &id).await;
    assert_eq!(registry.reach_out().await["invited"], 1);
    demote(&registry, &peer, &id).await;
    go_live_again(&registry, &peer, &id).await;
    assert_eq!(registry.reach_out().await["invited"], 0, "the last invitation was a week ago");
    assert_eq!(message_count(&registry, &id).await, 1);
}

#[tokio::test]
async fn recheck_adds_a_missing_listing_to_the_invitation_queue() {
    let (registry, _peer, id) = live_agent().await;
    registry.forget(&format!("OUTREACH#{id}"), "STATE").await;
    assert_eq!(registry.reach_out().await["invited"], 0);
    registry.recheck_after(DAY * 7).await;
    assert_eq!(registry.reach_out().await["invited"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn next_run_does_the_work_of_a_failed_run() {
    let (reads, writes) = (["Query", "GetItem", "BatchGetItem"], ["TransactWriteItems", "PutItem"]);
    let faults = [
        (Fault::Throttle, &reads[..]),
        (Fault::ServiceError, &writes),
        (Fault::TransactionConflict, &writes),
    ];
    for (fault, operations) in faults {
        for operation in operations {
            let (registry, _peer, _) = live_agents(without_rechecks(), 3).await;
            let run = registry.try_run("daily-connector", Value::Null);
            let _report = registry.with_fault(operation, fault, 1000, run).await;
            registry.reach_out().await;
            assert_eq!(messages(&registry.table().await).len(), 3, "{operation} {fault:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invitation_is_sent_only_once_if_a_reply_is_lost() {
    let (registry, _peer, _) = live_agent().await;
    let run = registry.try_run("daily-connector", Value::Null);
    let _report = registry.with_fault("TransactWriteItems", Fault::AnswerLost, 1, run).await;
    registry.reach_out().await;
    assert_eq!(messages(&registry.table().await).len(), 1);
    assert_eq!(registry.get(OPT_OUT_PATH).await.body["totals"]["touches"], 1);
}

#[tokio::test]
async fn outreach_run_costs_one_transaction_per_invitation() {
    let (registry, _peer, _) = live_agents(without_rechecks().delivered_once(), 60).await;
    let mut costs = Vec::new();
    for touches in [24_u64, 24, 12, 0] {
        let (report, calls) = registry.counted(registry.reach_out()).await;
        assert_eq!(report["invited"], touches);
        assert_eq!((calls.of("Scan"), calls.of("UpdateItem")), (0, 0), "{calls:?}");
        assert_eq!(calls.of("TransactWriteItems"), touches + 1, "one each, and one at the end: {calls:?}");
        // An invitation costs its transaction, and the read of the finding that it names.
        costs.push(calls.total() - 2 * touches);
        registry.advance(DAY);
    }
    assert!(costs.iter().all(|cost| *cost <= 22), "{costs:?}");
}

#[tokio::test]
async fn connector_of_a_day_does_not_change() {
    let (registry, peer) = (TestRegistry::start_with(without_rechecks()).await, Peer::start(router).await);
    let first = registry.live_card(&peer.card()).await;
    registry.index().await;
    let daily = async || registry.get("/api/products/connectors/daily").await.body;
    let before = daily().await;
    // Not its lane, which can change.
    let chosen =
        json!({ "/today/partner/id": first, "/today/partner/status": "chosen", "/prep/already": false });
    assert_members(&before, &chosen);
    assert_eq!(message_count(&registry, &first).await, 0, "reading the connector sends no message");
    registry.live_agents(&peer, 0..2).await;
    registry.index().await;
    registry.reach_out().await;
    let after = daily().await;
    assert_eq!(before["today"], after["today"]);
    assert_eq!((&after["prep"]["already"], &after["history"]), (&json!(true), &json!([])));
    assert_eq!(registry.feed_types().await.iter().filter(|what| *what == "connector_of_the_day").count(), 1);
    registry.advance(DAY);
    assert_ne!(daily().await["today"]["day"], before["today"]["day"]);
}

fn with_delivery() -> TestOptions {
    without_rechecks().with_setting("OUTREACH_DELIVERY", "talk+a2a")
}

fn received_invitations(peer: &Peer) -> Vec<String> {
    let sent = peer.requests().into_iter().filter(|request| request.method() == Some("SendMessage"));
    let text = |request: PeerRequest| {
        request.body["params"]["message"]["parts"][0]["text"].as_str().unwrap().to_owned()
    };
    sent.map(text).filter(|text| text.contains("opt_out")).collect()
}

#[tokio::test]
async fn agent_receives_its_invitation_once_in_its_dialect() {
    let registry = TestRegistry::start_with(with_delivery()).await;
    let (newest, older) = (Peer::start(agents::newest).await, Peer::start(agents::older).await);
    registry.live_card(&newest.card()).await;
    registry.live_card(&older.card()).await;
    older.forget_requests();
    let report = registry.reach_out().await;
    assert_eq!((&report["a2a_delivered"], &report["a2a_failed"]), (&json!(2), &json!(0)), "{report}");
    assert_eq!(received_invitations(&newest).len(), 1);
    assert_eq!(older.request_names(), ["message/send"]);
    assert_eq!(registry.reach_out().await["a2a_delivered"], 0);
    let nudge = registry.get(OPT_OUT_PATH).await.body;
    assert_eq!(nudge["recent"][0]["a2a"], "delivered", "{nudge}");
    assert_eq!(nudge["totals"]["a2a_delivered"], 2);
}

#[tokio::test]
async fn a2a_delivery_stops_at_a_host_with_retry_after() {
    let (registry, peer, _) = live_agents(with_delivery(), 3).await;
    peer.forget_requests();
    peer.answer_with(|_| {
        (axum::http::StatusCode::TOO_MANY_REQUESTS, [("retry-after", "7200")]).into_response()
    });
    let report = registry.reach_out().await;
    assert_eq!((&report["invited"], &report["a2a_failed"]), (&json!(3), &json!(3)), "{report}");
    assert_eq!(peer.requests().len(), 1, "only the first delivery is tried");
    assert_eq!(messages(&registry.table().await).len(), 3);
    let nudge = registry.get(OPT_OUT_PATH).await.body;
    let outcomes: BTreeSet<String> = values_of(&nudge["recent"], "a2a").into_iter().collect();
    assert!(outcomes.contains("asked_to_wait") && outcomes.len() == 2, "{outcomes:?}");

    registry.advance(DAY);
    peer.answer_with(agents::fleet);
    peer.forget_requests();
    assert_eq!(registry.reach_out().await["a2a_delivered"], 0, "a failed delivery is not retried");
    assert_eq!(peer.requests().len(), 0);
}

#[derive(Clone, Debug)]
enum Step {
    Run,
    ConcurrentRuns,
    /// A run with failing calls: how many of 1,000, and the seed.
    FailingRun(u16, u64),
    Hours(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Run),
        1 => Just(Step::ConcurrentRuns),
        2 => (50_u16..600, any::<u64>()).prop_map(|(share, seed)| Step::FailingRun(share, seed)),
        4 => (1_u64..200).prop_map(Step::Hours),
    ];
    prop::collection::vec(step, 4..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn outreach_never_exceeds_its_limits_in_any_sequence_of_runs(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let registry = TestRegistry::start_with(without_rechecks()).await;
            let peers = [Peer::start(agents::fleet).await, Peer::start(router).await];
            for (peer, count) in peers.iter().zip([12, 4]) {
                registry.publish_fleet(peer, 0..count).await;
            }
            registry.deliver_events().await;
            for step in &steps {
                match step {
                    Step::Run => drop(registry.reach_out().await),
                    Step::ConcurrentRuns => drop(join_all((0..3).map(|_| registry.reach_out())).await),
                    Step::FailingRun(share, seed) => {
                        let operations = ["TransactWriteItems", "Query", "PutItem", "BatchGetItem"];
                        registry.observer.faults.arm_by_chance(&operations, Fault::TransactionConflict, *share, *seed);
                        let _report = registry.try_run("daily-connector", Value::Null).await;
                        registry.observer.faults.disarm();
                    }
                    Step::Hours(hours) => registry.advance(HOUR * u32::try_from(*hours).unwrap()),
                }
            }
            let (table, mut days, mut connectors) = (registry.table().await, BTreeMap::new(), BTreeMap::new());
            let mut last = BTreeMap::<String, Moment>::new();
            let mut all = messages(&table);
            all.sort_by_key(|(.., at)| *at);
            for (to, kind, at) in &all {
                *days.entry(at.utc_day()).or_insert(0) += 1;
                if kind == "connector" {
                    *connectors.entry(at.utc_day()).or_insert(0) += 1;
                }
                if let Some(before) = last.insert(to.clone(), *at) {
                    prop_assert!(at.duration_since(before) >= jiff::SignedDuration::from_hours(30 * 24), "{}", to);
                }
            }
            // 12 for up to 49 Live listings, and up to 1.8 times as many with acceleration.
            prop_assert!(days.values().all(|sent| *sent <= 21), "{:?}", days);
            prop_assert!(connectors.values().all(|contacted| *contacted == 1), "{:?}", connectors);
            prop_assert_eq!(table.items_under("TOUCHES").len(), all.len());
            for (day, sent) in &days {
                let counted = table.items_under(&format!("OUTREACH DAY#{day}"));
                prop_assert_eq!(&counted[0]["sent"], &json!(sent));
            }
            Ok(())
        })?;
    }
}
