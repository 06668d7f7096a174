//! Tests `demo_confirm`: a demo after an invitation counts only after it is confirmed with the token of the listing. The
//! token of another listing is refused.

use tests::prelude::*;

use crate::fixtures::{item, live_agent, live_agent_with, live_pair};

const CONFIRM: &str = "/api/products/demo-confirm";

/// The demo of a listing, as its invitation asks for it.
async fn invited(registry: &TestRegistry, id: &ListingId) -> Value {
    registry.get(&format!("/api/products/demo?listing_id={id}&source=invitation")).await.ok()
}

/// Sends the draft of the feedback on a demo; returns the answer.
async fn draft_of(registry: &TestRegistry, demo: &Value) -> Value {
    registry.feedback(&demo["next_steps"]["example_body"]).await.ok()
}

/// The demos that were taken, and those of them that count as real.
async fn real_demos(registry: &TestRegistry) -> Value {
    let learned = registry.get("/api/products/learning").await.body;
    let stage = item(&learned["funnel"], "id", "demo");
    json!([stage["total"], stage["real"]])
}

#[tokio::test]
async fn demo_after_an_invitation_counts_only_after_its_confirmation() {
    let (registry, _peer, id) = live_agent().await;
    let demo = invited(&registry, &id).await;
    assert_eq!((&demo["counted_as_real"], real_demos(&registry).await), (&json!(false), json!([1, 0])));
    let feedback = draft_of(&registry, &demo).await;
    let confirm = json!({ "order_id": demo["order_id"], "access_token": feedback["access_token"] });
    // Feedback can be sent once.
    let counted = json!({ "counted_as_real": true, "/next/action": "talk_inbox" });
    let confirmed = registry.post(CONFIRM, &confirm).await.ok();
    assert_members(&confirmed, &counted);
    let again = registry.post(CONFIRM, &confirm).await.body;
    assert_eq!(again["confirmed_at"], confirmed["confirmed_at"]);
    assert_eq!(real_demos(&registry).await, json!([1, 1]));
    assert_members(&registry.demo(&id).await, &counted);
}

#[tokio::test]
async fn discount_code_confirms_a_demo() {
    let options = TestOptions::default().with(|settings| settings.founding_seats = 0);
    let (registry, _peer, id) = live_agent_with(options).await;
    let demo = invited(&registry, &id).await;
    assert_eq!(demo["deal"]["path"][3], "Receive a discount code", "no seat is left to promise");
    let active = registry.settled("/api/listings/active").await;
    assert!(!active["deal"]["for_active"].to_string().contains("seat"), "{active}");
    let message = active["agents"][0]["deal"]["message"].to_string();
    assert!(message.contains("earns a code for 25 % off"), "{message}");
    let code = draft_of(&registry, &demo).await["discount"]["code"].clone();
    let confirm = json!({ "order_id": demo["order_id"], "access_token": code });
    registry.post(CONFIRM, &confirm).await.assert_body(200, &json!({ "counted_as_real": true }));
    let next = registry.first_row("agents").await["next"].to_string();
    assert!(next.contains("discount code"), "{next}");
}

/// Anyone can take the demo of any listing, and so get the id of its order. A stranger who sends `source=invitation` first
/// must not make the demo of the owner uncounted.
#[tokio::test]
async fn request_without_an_invitation_makes_a_demo_real_and_a_confirmation_without_a_token_does_not() {
    let (registry, _peer, id) = live_agent().await;
    let demo = invited(&registry, &id).await;
    let before = registry.table().await;
    let refused = registry.post(CONFIRM, &json!({ "order_id": demo["order_id"] })).await;
    refused.assert_refused(409, "token_required");
    assert_eq!(before.difference(&registry.table().await), [""; 0]);
    assert_eq!(invited(&registry, &id).await["counted_as_real"], false);
    let owner = registry.post("/api/products/demo", &refused.body["next"]["body"]).await.body;
    let real =
        json!({ "order_id": demo["order_id"], "counted_as_real": true, "/next/action": "leave_feedback" });
    assert_members(&owner, &real);
    assert_members(&invited(&registry, &id).await, &real);
}

#[tokio::test]
async fn confirmation_requires_a_known_order_and_its_token() {
    let pair = live_pair().await;
    let mut confirmations = Vec::new();
    for id in [&pair.agent, &pair.server] {
        let demo = pair.registry.demo(id).await;
        let token = draft_of(&pair.registry, &demo).await["access_token"].clone();
        confirmations.push(json!({ "order_id": demo["order_id"], "access_token": token }));
    }
    for (change, status) in [
        (json!({ "order_id": "ord_0123456789abcdef01234567", "access_token": null }), 404),
        (json!({ "access_token": confirmations[1]["access_token"] }), 401),
        (json!({ "access_token": "nonsense" }), 401),
        (json!({}), 200),
    ] {
        let reply = pair.registry.post(CONFIRM, &with_members(confirmations[0].clone(), &change)).await;
        assert_eq!(reply.status, status, "{change}: {reply:?}");
        assert!(status != 401 || reply.body["field"] == "access_token", "{reply:?}");
    }
}
