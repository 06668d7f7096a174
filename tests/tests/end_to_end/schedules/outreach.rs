//! The `daily-connector` schedule, under a clock that is moved by hand: invitations within the day's budget, the pause of
//! each listing, the connector of the day, and the A2A message where it is turned on.

use std::collections::{BTreeMap, BTreeSet};

use axum::response::IntoResponse as _;
use futures::future::join_all;
use local::engine::instrumented::Fault;
use proptest::prelude::*;
use registry::model::{ListingId, Moment};
use registry::outreach::texts::OPT_OUT_PATH;
use serde_json::{Value, json};
use tests::peers::{CARD, Peer, PeerRequest, agents, empty, json_answer};
use tests::test_registry::{DAY, HOUR, Table, TestOptions, TestRegistry};

use crate::fixtures::{demote, live_agent, time};

/// Nothing is rechecked while these tests move the clock by months.
fn lasting() -> TestOptions {
    TestOptions::default().with_setting("RECHECK_DAYS", 365).with_setting("PROBE_WINDOW_CAP", 1000)
}

/// An agent that routes.
fn router(asked: &PeerRequest) -> axum::response::Response {
    let folder = asked.path.strip_suffix("/card.json").or_else(|| asked.path.strip_suffix(CARD));
    match (asked.verb.as_str(), folder) {
        ("GET", Some(folder)) => {
            let mut card = agents::card_at(
                &format!("Relay Router{}", folder.replace('/', " ")),
                &format!("{}{folder}/rpc", asked.origin()),
            );
            card["description"] = json!("A gateway between A2A agents and MCP servers.");
            json_answer(200, &card)
        }
        ("POST", _) => agents::speaks_newest(asked),
        _ => empty(404),
    }
}

async fn live_agents(registry: &TestRegistry, peer: &Peer, count: usize) -> Vec<ListingId> {
    let mut ids = Vec::new();
    for folder in 0..count {
        ids.push(registry.publish_card(&peer.url(&format!("/{folder}/card.json"))).await);
    }
    registry.deliver_events().await;
    assert_eq!(usize::try_from(registry.live_counts().await.0).unwrap(), count);
    ids
}

/// Every message that the registry left: to whom, of which kind, when.
fn messages(table: &Table) -> Vec<(String, String, Moment)> {
    let read = |item: &&Value| {
        let message: Value = serde_json::from_str(item["message"].as_str().unwrap()).unwrap();
        let text = |name: &str| message[name].as_str().unwrap().to_owned();
        assert_eq!(message["channel"], "registry", "{message}");
        (text("to"), text("kind"), time(&message["at"]))
    };
    table.items_under("INBOX#").iter().map(read).collect()
}

async fn message_count(registry: &TestRegistry, id: &ListingId) -> usize {
    messages(&registry.table().await).iter().filter(|(to, ..)| to == id.as_str()).count()
}

#[tokio::test]
async fn an_invitation_says_why_it_came_and_how_to_stop_it() {
    let (registry, _peer, id) = live_agent().await;
    assert_eq!(registry.reach_out().await["invited"], 1);
    let table = registry.table().await;
    let items = table.items_under(&format!("INBOX#{id} "));
    assert_eq!(items.len(), 1);
    let message: Value = serde_json::from_str(items[0]["message"].as_str().unwrap()).unwrap();
    let text = message["text"].as_str().unwrap();
    for said in [
        registry.url(&format!("/api/products/demo?listing_id={id}")),
        registry.url(OPT_OUT_PATH),
        format!(r#""listing_id":"{id}""#),
        "opt_out".to_owned(),
        "30 days".to_owned(),
    ] {
        assert!(text.contains(&said), "{said}: {text}");
    }
    assert_eq!((&message["kind"], &message["to"]), (&json!("demo_invitation"), &json!(id)));
}

#[tokio::test]
async fn a_listing_is_left_alone_for_thirty_days_and_no_longer() {
    let (registry, peer) = (TestRegistry::start_with(lasting()).await, Peer::start(agents::newest).await);
    let id = registry.live_card(&peer.card()).await;
    assert_eq!(registry.reach_out().await["invited"], 1);
    let touched = registry.now();
    for _ in 0..29 {
        registry.advance(DAY);
        assert_eq!(registry.reach_out().await["invited"], 0);
    }
    registry
        .advance_to(touched + jiff::SignedDuration::from_hours(30 * 24) - jiff::SignedDuration::from_secs(1));
    assert_eq!(registry.reach_out().await["invited"], 0, "a second before");
    registry.advance(std::time::Duration::from_secs(1));
    assert_eq!(registry.reach_out().await["invited"], 1);
    assert_eq!(message_count(&registry, &id).await, 2);
}

#[tokio::test]
async fn the_budget_is_that_of_a_utc_day() {
    let (registry, peer) = (TestRegistry::start_with(lasting()).await, Peer::start(agents::fleet).await);
    live_agents(&registry, &peer, 30).await;
    registry.advance_to("2026-11-20T23:30:00Z".parse().unwrap());
    assert_eq!(registry.reach_out().await["invited"], 12, "up to 49 Live listings: 12");
    assert_eq!(registry.reach_out().await["invited"], 0);
    registry.advance_to("2026-11-20T23:59:59.999Z".parse().unwrap());
    assert_eq!(registry.reach_out().await["invited"], 0);
    registry.advance_to("2026-11-21T00:00:00Z".parse().unwrap());
    assert_eq!(registry.reach_out().await["invited"], 12);
    registry.advance(DAY);
    assert_eq!(registry.reach_out().await["invited"], 6, "nobody is left");
    let written: BTreeSet<String> =
        messages(&registry.table().await).into_iter().map(|(to, ..)| to).collect();
    assert_eq!(written.len(), 30, "each once");
}

#[tokio::test]
async fn the_budget_may_be_scaled_and_turned_off() {
    for (percent, invited) in [(0, 0), (50, 6), (150, 14)] {
        let registry =
            TestRegistry::start_with(lasting().with_setting("OUTREACH_BUDGET_PERCENT", percent)).await;
        let peer = Peer::start(agents::fleet).await;
        live_agents(&registry, &peer, 14).await;
        assert_eq!(registry.reach_out().await["invited"], invited, "{percent} %");
    }
}

#[tokio::test]
async fn who_opted_out_is_never_written_to() {
    let (registry, peer) = (TestRegistry::start_with(lasting()).await, Peer::start(router).await);
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

    registry.post(OPT_OUT_PATH, &json!({ "listing_id": id, "action": "opt_in" })).await;
    assert_eq!(registry.reach_out().await["connector"], json!(id), "it may be met again");
    assert_eq!(message_count(&registry, &id).await, 1);
}

#[tokio::test]
async fn an_opt_out_outlives_a_fall_and_a_return() {
    let (registry, peer, id) = live_agent().await;
    registry.post(OPT_OUT_PATH, &json!({ "listing_id": id })).await;
    demote(&registry, &peer, &id).await;
    peer.answer_with(agents::newest);
    registry.publish_card(&peer.card()).await;
    registry.deliver_events().await;
    assert_eq!(registry.lane(&id).await, "active");
    assert_eq!(registry.reach_out().await["invited"], 0);
}

#[tokio::test]
async fn what_fell_is_not_written_to_and_its_pause_outlives_the_fall() {
    let (registry, peer, id) = live_agent().await;
    demote(&registry, &peer, &id).await;
    assert_eq!(registry.reach_out().await["invited"], 0);
    assert_eq!(registry.get(OPT_OUT_PATH).await.body["never_contacted"], 0, "it is out of the queue");

    let back = async || {
        peer.answer_with(agents::newest);
        registry.publish_card(&peer.card()).await;
        registry.deliver_events().await;
        assert_eq!(registry.lane(&id).await, "active");
    };
    back().await;
    assert_eq!(registry.reach_out().await["invited"], 1);
    demote(&registry, &peer, &id).await;
    back().await;
    assert_eq!(registry.reach_out().await["invited"], 0, "it was written to a week ago");
    assert_eq!(message_count(&registry, &id).await, 1);
}

#[tokio::test]
async fn a_listing_of_an_earlier_table_comes_into_the_queue_with_its_recheck() {
    let (registry, _peer, id) = live_agent().await;
    registry.forget(&format!("OUTREACH#{id}"), "STATE").await;
    assert_eq!(registry.reach_out().await["invited"], 0);
    registry.advance(DAY * 7);
    registry.recheck().await;
    assert_eq!(registry.reach_out().await["invited"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_at_once_touch_once_and_stay_within_the_budget() {
    let (registry, peer) = (TestRegistry::start_with(lasting()).await, Peer::start(agents::fleet).await);
    live_agents(&registry, &peer, 20).await;
    let reports = join_all((0..4).map(|_| registry.reach_out())).await;
    let invited: u64 = reports.iter().map(|report| report["invited"].as_u64().unwrap()).sum();
    let messages = messages(&registry.table().await);
    assert_eq!((invited, messages.len()), (12, 12));
    let written: BTreeSet<&String> = messages.iter().map(|(to, ..)| to).collect();
    assert_eq!(written.len(), 12);
    assert_eq!(registry.get(OPT_OUT_PATH).await.body["day"]["sent"], 12);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_meets_a_fault_is_made_good_by_the_next() {
    for fault in [Fault::Throttle, Fault::ServiceError, Fault::TransactionConflict] {
        for operation in ["Query", "GetItem", "BatchGetItem", "TransactWriteItems", "PutItem"] {
            let (registry, peer) =
                (TestRegistry::start_with(lasting()).await, Peer::start(agents::fleet).await);
            live_agents(&registry, &peer, 3).await;
            registry.observer.faults.arm(operation, fault, 1000);
            let _report = daily_connector::handle(&registry.app, Value::Null).await;
            registry.observer.faults.disarm();
            registry.reach_out().await;
            assert_eq!(messages(&registry.table().await).len(), 3, "{operation} {fault:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_touch_whose_answer_was_lost_is_made_once() {
    let (registry, _peer, _) = live_agent().await;
    registry.observer.faults.arm("TransactWriteItems", Fault::AnswerLost, 1);
    let _report = daily_connector::handle(&registry.app, Value::Null).await;
    registry.observer.faults.disarm();
    registry.reach_out().await;
    assert_eq!(messages(&registry.table().await).len(), 1);
    assert_eq!(registry.get(OPT_OUT_PATH).await.body["totals"]["touches"], 1);
}

#[tokio::test]
async fn a_run_costs_a_constant_and_one_transaction_a_touch() {
    let registry = TestRegistry::start_with(lasting().without_read_cache()).await;
    let peer = Peer::start(agents::fleet).await;
    live_agents(&registry, &peer, 60).await;
    let mut costs = Vec::new();
    for touches in [24_u64, 24, 12, 0] {
        let before = registry.observer.tally.snapshot();
        assert_eq!(registry.reach_out().await["invited"], touches);
        let calls = registry.observer.tally.since(&before);
        assert_eq!((calls.of("Scan"), calls.of("UpdateItem")), (0, 0), "{calls:?}");
        assert_eq!(
            calls.of("TransactWriteItems"),
            touches + 1,
            "one a touch, and the end of the run: {calls:?}"
        );
        costs.push(calls.total() - touches);
        registry.advance(DAY);
    }
    assert!(costs.iter().all(|cost| *cost <= 22), "{costs:?}");
}

#[tokio::test]
async fn one_connector_is_met_a_day_and_none_twice_within_thirty_days() {
    // One touch a day, so that no invitation comes before.
    let options = lasting().with_setting("OUTREACH_BUDGET_PERCENT", 9);
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(router).await);
    live_agents(&registry, &peer, 3).await;
    // With the day, so that a pause ends when a pick is made.
    registry.advance_to("2026-11-21T00:00:00Z".parse().unwrap());
    let mut met = BTreeMap::<String, Vec<Moment>>::new();
    for _ in 0..34 * 4 {
        let report = registry.reach_out().await;
        if report["connector_touched"] == true {
            met.entry(report["connector"].as_str().unwrap().to_owned()).or_default().push(registry.now());
        }
        assert_eq!(report["invited"], 0);
        registry.advance(HOUR * 6);
    }
    let days: Vec<String> = met.values().flatten().map(|at| at.utc_day()).collect();
    assert_eq!(days.len(), days.iter().collect::<BTreeSet<_>>().len(), "one a day: {met:?}");
    for times in met.values() {
        for pair in times.windows(2) {
            assert!(pair[1].duration_since(pair[0]) >= jiff::SignedDuration::from_hours(30 * 24), "{met:?}");
        }
    }
    assert_eq!(
        met.values().map(Vec::len).collect::<Vec<_>>(),
        [2, 2, 2],
        "three, and again after their pause"
    );
    let history = registry.get("/api/products/connectors/daily").await.body["history"].clone();
    assert!(history.as_array().unwrap().len() <= 30);
}

#[tokio::test]
async fn the_pick_of_a_day_stays_whatever_changes_meanwhile() {
    let (registry, peer) = (TestRegistry::start_with(lasting()).await, Peer::start(router).await);
    let first = registry.live_card(&peer.card()).await;
    registry.index().await;
    let daily = async || registry.get("/api/products/connectors/daily").await.body;
    let before = daily().await;
    assert_eq!(
        (&before["today"]["partner"]["id"], &before["prep"]["already"]),
        (&json!(first), &json!(false))
    );
    assert_eq!(message_count(&registry, &first).await, 0, "a reader writes to nobody");
    for folder in ["a", "b"] {
        registry.live_card(&peer.url(&format!("/{folder}/card.json"))).await;
    }
    registry.index().await;
    registry.reach_out().await;
    let after = daily().await;
    assert_eq!(before["today"], after["today"]);
    assert_eq!(
        (&after["prep"]["already"], &after["history"][0]["status"]),
        (&json!(true), &json!("touched"))
    );
    assert_eq!(registry.feed_types().await.iter().filter(|what| *what == "connector_of_the_day").count(), 1);
    registry.advance(DAY);
    assert_ne!(daily().await["today"]["day"], before["today"]["day"]);
}

/// The text that a peer was sent, where it was sent a message by the outreach.
fn invitations_at(peer: &Peer) -> Vec<String> {
    let sent = peer.requests().into_iter().filter(|asked| asked.method() == Some("SendMessage"));
    let text =
        |asked: PeerRequest| asked.body["params"]["message"]["parts"][0]["text"].as_str().unwrap().to_owned();
    sent.map(text).filter(|text| text.contains("opt_out")).collect()
}

#[tokio::test]
async fn nobody_is_called_unless_the_operator_says_so() {
    let (registry, peer, _) = live_agent().await;
    peer.forget_requests();
    assert_eq!(registry.reach_out().await["invited"], 1);
    assert_eq!(peer.request_names(), [""; 0]);
}

#[tokio::test]
async fn an_agent_is_sent_its_invitation_once_in_its_own_dialect() {
    let registry = TestRegistry::start_with(lasting().with_setting("OUTREACH_DELIVERY", "talk+a2a")).await;
    let (newest, older) = (Peer::start(agents::newest).await, Peer::start(agents::older).await);
    registry.live_card(&newest.card()).await;
    registry.live_card(&older.card()).await;
    older.forget_requests();
    let report = registry.reach_out().await;
    assert_eq!((&report["a2a_delivered"], &report["a2a_failed"]), (&json!(2), &json!(0)), "{report}");
    assert_eq!(invitations_at(&newest).len(), 1);
    assert_eq!(older.request_names(), ["message/send"]);
    assert_eq!(registry.reach_out().await["a2a_delivered"], 0);
    let nudge = registry.get(OPT_OUT_PATH).await.body;
    assert_eq!(nudge["recent"][0]["a2a"], "delivered", "{nudge}");
    assert_eq!(nudge["totals"]["a2a_delivered"], 2);
}

#[tokio::test]
async fn a_host_that_asks_to_wait_is_left_alone_and_its_inboxes_are_the_delivery() {
    let registry = TestRegistry::start_with(lasting().with_setting("OUTREACH_DELIVERY", "talk+a2a")).await;
    let peer = Peer::start(agents::fleet).await;
    live_agents(&registry, &peer, 3).await;
    peer.forget_requests();
    peer.answer_with(|_| {
        (axum::http::StatusCode::TOO_MANY_REQUESTS, [("retry-after", "7200")]).into_response()
    });
    let report = registry.reach_out().await;
    assert_eq!((&report["invited"], &report["a2a_failed"]), (&json!(3), &json!(3)), "{report}");
    assert_eq!(peer.requests().len(), 1, "the second and third are not tried");
    assert_eq!(messages(&registry.table().await).len(), 3);
    let outcomes: BTreeSet<String> = registry.get(OPT_OUT_PATH).await.body["recent"]
        .as_array()
        .unwrap()
        .iter()
        .map(|touch| touch["a2a"].as_str().unwrap().to_owned())
        .collect();
    assert!(outcomes.contains("asked_to_wait") && outcomes.len() == 2, "{outcomes:?}");

    registry.advance(DAY);
    peer.answer_with(agents::fleet);
    peer.forget_requests();
    assert_eq!(registry.reach_out().await["a2a_delivered"], 0, "what failed is not tried again");
    assert_eq!(peer.requests().len(), 0);
}

/// One thing that happens to a registry.
#[derive(Clone, Debug)]
enum Step {
    Run,
    RunsAtOnce,
    /// A run in which so many of a thousand writes or reads fail, by this seed.
    Broken(u16, u64),
    Hours(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Run),
        1 => Just(Step::RunsAtOnce),
        2 => (50_u16..600, any::<u64>()).prop_map(|(share, seed)| Step::Broken(share, seed)),
        4 => (1_u64..200).prop_map(Step::Hours),
    ];
    prop::collection::vec(step, 4..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn no_sequence_of_runs_days_and_crashes_breaks_a_limit(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let registry = TestRegistry::start_with(lasting()).await;
            let peers = [Peer::start(agents::fleet).await, Peer::start(router).await];
            for (peer, count) in peers.iter().zip([12, 4]) {
                for folder in 0..count {
                    registry.publish_card(&peer.url(&format!("/{folder}/card.json"))).await;
                }
            }
            registry.deliver_events().await;
            for step in &steps {
                match step {
                    Step::Run => drop(registry.reach_out().await),
                    Step::RunsAtOnce => drop(join_all((0..3).map(|_| registry.reach_out())).await),
                    Step::Broken(share, seed) => {
                        let broken = ["TransactWriteItems", "Query", "PutItem", "BatchGetItem"];
                        registry.observer.faults.arm_by_chance(&broken, Fault::TransactionConflict, *share, *seed);
                        let _report = daily_connector::handle(&registry.app, Value::Null).await;
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
            prop_assert!(days.values().all(|sent| *sent <= 12), "{:?}", days);
            prop_assert!(connectors.values().all(|met| *met == 1), "{:?}", connectors);
            prop_assert_eq!(table.items_under("TOUCHES").len(), all.len());
            for (day, sent) in &days {
                let counted = table.items_under(&format!("OUTREACH DAY#{day}"));
                prop_assert_eq!(&counted[0]["sent"], &json!(sent));
            }
            Ok(())
        })?;
    }
}
