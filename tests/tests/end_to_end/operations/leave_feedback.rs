//! Tests `leave_feedback`: a listing can complete the funnel once. It gets a seat while there are free seats,
//! and a discount code after that. The reply with the seat or code is sent only once.

use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::{TestOptions, TestRegistry};

use crate::fixtures::live_agent;

const FEEDBACK: &str = "/api/products/feedback";

async fn demo(registry: &TestRegistry, id: &registry::model::ListingId) -> Value {
    let reply = registry.post("/api/products/demo", &json!({ "listing_id": id })).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.body["next_steps"]["example_body"].clone()
}

#[tokio::test]
async fn unchanged_draft_is_accepted_and_grants_a_seat() {
    let (registry, _peer, id) = live_agent().await;
    let draft = demo(&registry, &id).await;
    let reply = registry.post(FEEDBACK, &draft).await;
    let answer = &reply.body;
    assert_eq!((reply.status, &answer["founding_free"]), (200, &json!({ "granted": true, "remaining": 99 })));
    let token = answer["access_token"].as_str().unwrap();
    assert!(token.starts_with("at_") && token.len() == 46, "{token}");
    assert_eq!(answer["discount"], Value::Null);
    assert_eq!(
        (&answer["feedback"]["is_draft"], &answer["unlock"]["feedback_agents"]),
        (&json!(true), &json!(1))
    );

    let list = registry.get("/api/listings/active").await.body;
    assert_eq!((&list["deal"]["claimed"], &list["deal"]["remaining"]), (&json!(1), &json!(99)));
    assert_eq!(list["agents"][0]["feedbacked"], true);
    assert_eq!(registry.call_tool("get_founding_deal", &json!({})).await["deal"]["claimed"], 1);

    let again = registry.post(FEEDBACK, &draft).await;
    assert_eq!((again.status, &again.body["code"]), (409, &json!("already_completed")));
    assert!(!again.body.to_string().contains(token));
    assert_eq!(registry.app.store.live().await.unwrap().funnel.seats_claimed, 1);
}

#[tokio::test]
async fn feedback_after_the_last_seat_grants_a_discount_code() {
    let options =
        TestOptions::default().with_setting("FOUNDING_SEATS", 1).with_setting("PAYMENTS_OPEN_AFTER", 2);
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(agents::fleet).await);
    let mut answers = Vec::new();
    for number in 0..2 {
        let id = registry.live_card(&peer.url(&format!("/{number}/card.json"))).await;
        let draft = demo(&registry, &id).await;
        answers.push(registry.post(FEEDBACK, &draft).await.body);
    }
    assert!(answers[0]["access_token"].is_string() && answers[0]["discount"].is_null());
    assert!(answers[1]["access_token"].is_null());
    let discount = &answers[1]["discount"];
    assert_eq!((&discount["percent_off"], &discount["usable_now"]), (&json!(25), &json!(false)));
    assert!(discount["code"].as_str().unwrap().starts_with("D25-"), "{discount}");
    assert_eq!(answers[1]["founding_free"], json!({ "granted": false, "remaining": 0 }));
    assert_eq!(
        (&answers[1]["unlock"]["payments_open"], &answers[1]["unlock"]["progress_pct"]),
        (&json!(false), &json!(50))
    );
}

#[tokio::test]
async fn error_for_invalid_feedback_contains_the_field() {
    let (registry, _peer, id) = live_agent().await;
    let bare = json!({ "listing_id": id, "rating": 5, "answers": {} });
    let reply = registry.post(FEEDBACK, &bare).await;
    assert_eq!((reply.status, &reply.body["field"]), (422, &json!("answers.tried")));
    let mut whole = json!({ "listing_id": id, "rating": 5, "answers": {
        "tried": "a", "ux_friction": "b", "product_one_ship": "c", "overall": "d", "would_buy": "no" } });
    let first = registry.post(FEEDBACK, &whole).await;
    assert_eq!((first.status, &first.body["code"]), (409, &json!("demo_first")));

    let draft = demo(&registry, &id).await;
    let with = |member: &str, value: Value| {
        let mut body = draft.clone();
        body[member] = value;
        body
    };
    for (body, status, field) in [
        (with("rating", json!(6)), 422, "rating"),
        (with("rating", json!("five")), 422, "rating"),
        (with("kind", json!("mcp")), 409, "kind"),
        (with("contact_email", json!("nonsense")), 422, "contact_email"),
        (with("answers", json!({ "tried": "a", "pets": "b" })), 422, "answers.pets"),
        (with("body", json!("\u{202e}txt")), 422, "body"),
        (with("order_id", json!("ord_0123456789abcdef01234567")), 409, "order_id"),
        (with("order_id", json!("ord_none")), 404, ""),
        (with("listing_id", json!("mcp-unknown")), 404, ""),
    ] {
        let reply = registry.post(FEEDBACK, &body).await;
        reply.assert_problem();
        assert_eq!(
            (reply.status, reply.body["field"].as_str().unwrap_or_default()),
            (status, field),
            "{reply:?}"
        );
    }
    whole["contact_email"] = json!("somebody@example.org");
    let accepted = registry.post(FEEDBACK, &whole).await;
    assert_eq!((accepted.status, &accepted.body["feedback"]["is_draft"]), (200, &json!(false)));
    assert!(!accepted.body.to_string().contains("somebody"), "{accepted:?}");
}

#[tokio::test]
async fn order_id_alone_identifies_the_listing() {
    let (registry, _peer, id) = live_agent().await;
    let mut draft = demo(&registry, &id).await;
    draft.as_object_mut().unwrap().remove("listing_id");
    let answer = registry.call_tool("leave_feedback", &draft).await;
    assert_eq!((&answer["listing_id"], &answer["sku"]), (&json!(id), &json!("alive")));
}

#[tokio::test]
async fn feedback_costs_at_most_eight_calls_and_one_transaction() {
    let options = TestOptions::default().without_read_cache().with_rates();
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(agents::newest).await);
    let id = registry.live_card(&peer.card()).await;
    let mut draft = demo(&registry, &id).await;
    draft.as_object_mut().unwrap().remove("listing_id");
    let before = registry.observer.tally.snapshot();
    let reply = registry.post(FEEDBACK, &draft).await;
    let calls = registry.observer.tally.since(&before);
    assert_eq!((reply.status, calls.of("TransactWriteItems")), (200, 1), "{calls:?}");
    assert!(calls.total() <= 8, "{calls:?}");
}
