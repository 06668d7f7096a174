//! Tests that invitations are delivered over A2A only once, and not to a host that returned `retry-after`.

use std::collections::BTreeSet;

use axum::response::IntoResponse as _;
use serde_json::json;
use tests::peers::{Peer, PeerRequest, agents};
use tests::test_registry::{DAY, TestRegistry};

use super::{OPT_OUT_PATH, messages, without_rechecks};
use crate::fixtures::values_of;

fn received_invitations(peer: &Peer) -> Vec<String> {
    let sent = peer.requests().into_iter().filter(|request| request.method() == Some("SendMessage"));
    let text = |request: PeerRequest| {
        request.body["params"]["message"]["parts"][0]["text"].as_str().unwrap().to_owned()
    };
    sent.map(text).filter(|text| text.contains("opt_out")).collect()
}

#[tokio::test]
async fn agent_receives_its_invitation_once_in_its_dialect() {
    let registry =
        TestRegistry::start_with(without_rechecks().with_setting("OUTREACH_DELIVERY", "talk+a2a")).await;
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
    let registry =
        TestRegistry::start_with(without_rechecks().with_setting("OUTREACH_DELIVERY", "talk+a2a")).await;
    let peer = Peer::start(agents::fleet).await;
    registry.live_agents(&peer, 0..3).await;
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
