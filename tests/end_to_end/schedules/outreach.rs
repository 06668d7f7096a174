//! Tests the `daily-connector` schedule, which invites listings to the demo. The tests move the clock. They check the
//! daily budget of invitations, the pause between two invitations to a listing, and which listings get no invitation.

mod a2a_delivery;
mod connector_day;
mod limits;

use std::collections::BTreeSet;

use registry::model::{ListingId, Moment};
use registry::outreach::texts::OPT_OUT_PATH;
use serde_json::{Value, json};
use tests::instrumented::Fault;
use tests::peers::{CARD, Peer, PeerRequest, agents, empty, json_answer};
use tests::test_registry::{DAY, HOUR, Table, TestOptions, TestRegistry};

use crate::fixtures::{demote, go_live_again, live_agent, live_agent_with, time};

/// No rechecks while these tests move the clock by months.
fn without_rechecks() -> TestOptions {
    TestOptions::default().with_setting("RECHECK_DAYS", 365).with_setting("PROBE_WINDOW_CAP", 1000)
}

/// An agent whose card describes a router.
fn router(request: &PeerRequest) -> axum::response::Response {
    let folder = request.path.strip_suffix("/card.json").or_else(|| request.path.strip_suffix(CARD));
    match (request.verb.as_str(), folder) {
        ("GET", Some(folder)) => {
            let mut card = agents::card_at(
                &format!("Relay Router{}", folder.replace('/', " ")),
                &format!("{}{folder}/rpc", request.origin()),
            );
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
    let text = message["text"].as_str().unwrap();
    for expected in [
        registry.url(&format!("/api/products/demo?listing_id={id}&source=invitation")),
        registry.url(OPT_OUT_PATH),
        format!(r#""listing_id":"{id}""#),
        "opt_out".to_owned(),
        "30 days".to_owned(),
        "The most important fix: ".to_owned(),
    ] {
        assert!(text.contains(&expected), "{expected}: {text}");
    }
    assert_eq!((&message["kind"], &message["to"]), (&json!("demo_invitation"), &json!(id)));
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
    registry.advance_to(
        invited_at + jiff::SignedDuration::from_hours(30 * 24) - jiff::SignedDuration::from_secs(1),
    );
    assert_eq!(registry.reach_out().await["invited"], 0, "one second before the pause ends");
    registry.advance(std::time::Duration::from_secs(1));
    assert_eq!(registry.reach_out().await["invited"], 1);
    assert_eq!(message_count(&registry, &id).await, 2);
}

#[tokio::test]
async fn invitation_budget_is_counted_per_utc_day() {
    let (registry, peer) =
        (TestRegistry::start_with(without_rechecks()).await, Peer::start(agents::fleet).await);
    registry.live_agents(&peer, 0..30).await;
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
        let registry =
            TestRegistry::start_with(without_rechecks().with_setting("OUTREACH_BUDGET_PERCENT", percent))
                .await;
        let peer = Peer::start(agents::fleet).await;
        registry.live_agents(&peer, 0..14).await;
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
            let (registry, peer) =
                (TestRegistry::start_with(without_rechecks()).await, Peer::start(agents::fleet).await);
            registry.live_agents(&peer, 0..3).await;
            registry.observer.faults.arm(operation, fault, 1000);
            let _report = registry.try_run("daily-connector", Value::Null).await;
            registry.observer.faults.disarm();
            registry.reach_out().await;
            assert_eq!(messages(&registry.table().await).len(), 3, "{operation} {fault:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invitation_is_sent_only_once_if_a_reply_is_lost() {
    let (registry, _peer, _) = live_agent().await;
    registry.observer.faults.arm("TransactWriteItems", Fault::AnswerLost, 1);
    let _report = registry.try_run("daily-connector", Value::Null).await;
    registry.observer.faults.disarm();
    registry.reach_out().await;
    assert_eq!(messages(&registry.table().await).len(), 1);
    assert_eq!(registry.get(OPT_OUT_PATH).await.body["totals"]["touches"], 1);
}

#[tokio::test]
async fn outreach_run_costs_one_transaction_per_invitation() {
    let registry = TestRegistry::start_with(without_rechecks().delivered_once()).await;
    let peer = Peer::start(agents::fleet).await;
    registry.live_agents(&peer, 0..60).await;
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
