//! Tests `demo_confirm`: a demo after an invitation counts only after it is confirmed with the token of the listing. The
//! token of another listing is refused.

use tests::prelude::*;

use crate::fixtures::{live_agent, live_agent_with, live_pair};

const CONFIRM: &str = "/api/products/demo-confirm";

/// The demos that were taken, and those of them that count as real.
async fn real_demos(registry: &TestRegistry) -> Value {
    let learned = registry.get("/api/products/learning").await.body;
    let stage = learned["funnel"].as_array().unwrap().iter().find(|stage| stage["id"] == "demo").unwrap();
    json!([stage["total"], stage["real"]])
}

#[tokio::test]
async fn demo_after_an_invitation_counts_only_after_its_confirmation() {
    let (registry, _peer, id) = live_agent().await;
    let demo = registry.get(&format!("/api/products/demo?listing_id={id}&source=invitation")).await.body;
    assert_eq!(demo["counted_as_real"], false);
    assert_eq!(real_demos(&registry).await, json!([1, 0]));
    let feedback = registry.post("/api/products/feedback", &demo["next_steps"]["example_body"]).await.body;
    let confirm = json!({ "order_id": demo["order_id"], "access_token": feedback["access_token"] });
    let confirmed = registry.post(CONFIRM, &confirm).await.ok();
    let next = (&confirmed["counted_as_real"], &confirmed["next"]["action"]);
    assert_eq!(next, (&json!(true), &json!("talk_inbox")), "feedback can be sent once");
    let again = registry.post(CONFIRM, &confirm).await;
    assert_eq!(again.body["confirmed_at"], confirmed["confirmed_at"]);
    assert_eq!(real_demos(&registry).await, json!([1, 1]));
    let demo = registry.get(&format!("/api/products/demo?listing_id={id}")).await.body;
    assert_eq!((&demo["counted_as_real"], &demo["next"]["action"]), (&json!(true), &json!("talk_inbox")));
}

#[tokio::test]
async fn discount_code_confirms_a_demo() {
    let options = TestOptions::default().with(|settings| settings.founding_seats = 0);
    let (registry, _peer, id) = live_agent_with(options).await;
    let demo = registry.get(&format!("/api/products/demo?listing_id={id}&source=invitation")).await.body;
    assert_eq!(demo["deal"]["path"][3], "Receive a discount code", "no seat is left to promise");
    registry.settle();
    let active = registry.get("/api/listings/active").await.body;
    assert!(!active["deal"]["for_active"].to_string().contains("seat"), "{active}");
    let message = active["agents"][0]["deal"]["message"].to_string();
    assert!(message.contains("earns a code for 25 % off"), "{message}");
    let feedback = registry.post("/api/products/feedback", &demo["next_steps"]["example_body"]).await.body;
    let code = &feedback["discount"]["code"];
    let confirmed =
        registry.post(CONFIRM, &json!({ "order_id": demo["order_id"], "access_token": code })).await;
    assert_eq!((confirmed.status, &confirmed.body["counted_as_real"]), (200, &json!(true)), "{confirmed:?}");
    registry.settle();
    let row = registry.get("/api/listings/active").await.body["agents"][0].clone();
    assert!(row["next"].as_str().unwrap().contains("discount code"), "{row}");
}

/// Anyone can take the demo of any listing, and so get the id of its order.
#[tokio::test]
async fn confirmation_of_a_stranger_changes_nothing() {
    let (registry, _peer, id) = live_agent().await;
    let path = format!("/api/products/demo?listing_id={id}&sku=recursive&source=invitation");
    let demo = registry.get(&path).await.body;
    let before = registry.table().await;
    let confirmed = registry.post(CONFIRM, &json!({ "order_id": demo["order_id"] })).await;
    confirmed.assert_refused(409, "token_required");
    assert_eq!(before.difference(&registry.table().await), [""; 0]);
    assert_eq!(registry.get(&path).await.body["counted_as_real"], false);
    let next = registry.post("/api/products/demo", &confirmed.body["next"]["body"]).await.body;
    assert_eq!((&next["order_id"], &next["counted_as_real"]), (&demo["order_id"], &json!(true)), "{next}");
}

#[tokio::test]
async fn confirmation_requires_a_known_order_and_its_token() {
    let pair = live_pair().await;
    let (mut tokens, mut orders) = (Vec::new(), Vec::new());
    for id in [&pair.agent, &pair.server] {
        let demo = pair.registry.post("/api/products/demo", &json!({ "listing_id": id })).await.body;
        let answer =
            pair.registry.post("/api/products/feedback", &demo["next_steps"]["example_body"]).await.body;
        tokens.push(answer["access_token"].clone());
        orders.push(demo["order_id"].clone());
    }
    for (body, status) in [
        (json!({ "order_id": "ord_0123456789abcdef01234567" }), 404),
        (json!({ "order_id": orders[0], "access_token": tokens[1] }), 401),
        (json!({ "order_id": orders[0], "access_token": "nonsense" }), 401),
        (json!({ "order_id": orders[0], "access_token": tokens[0] }), 200),
    ] {
        let reply = pair.registry.post(CONFIRM, &body).await;
        assert_eq!(reply.status, status, "{body}: {reply:?}");
        assert!(status != 401 || reply.body["field"] == "access_token", "{reply:?}");
    }
}

/// A stranger who sends `source=invitation` first must not make the demo of the owner uncounted.
#[tokio::test]
async fn request_without_an_invitation_makes_a_demo_real() {
    let (registry, _peer, id) = live_agent().await;
    let path = format!("/api/products/demo?listing_id={id}");
    let stranger = registry.get(&format!("{path}&source=invitation")).await.body;
    assert_eq!(stranger["counted_as_real"], false);
    let owner = registry.get(&path).await.body;
    assert_eq!((&owner["counted_as_real"], &owner["order_id"]), (&json!(true), &stranger["order_id"]));
    assert_eq!(owner["next"]["action"], "leave_feedback");
    let later = registry.get(&format!("{path}&source=invitation")).await.body;
    assert_eq!(later["counted_as_real"], true, "a stranger took the demo back");
}
