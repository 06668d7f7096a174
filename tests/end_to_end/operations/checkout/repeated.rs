//! Tests repeated checkouts. The same request returns the same purchase, session and token. The buyer is charged once.

use std::time::Duration;

use tests::prelude::*;

use registry::features::DESCRIPTIONS;

use super::{KEY, Shop};

#[tokio::test]
async fn same_request_with_the_same_key_is_one_purchase() {
    let shop = Shop::open().await;
    let body =
        json!({ "sku": "alive", "listing_id": shop.agent, "goals": ["a", "b"], "idempotency_key": KEY });
    let first = shop.buy_ok(&body).await;
    shop.registry.advance(Duration::from_secs(22 * 3600));
    // The same goals in another notation.
    let again = json!({ "sku": "alive", "listing_id": shop.agent, "goals": "a\n b", "idempotency_key": KEY });
    assert_eq!(shop.buy_ok(&again).await, first);
    assert_eq!((shop.stripe.sessions().len(), shop.stripe.peer.requests().len()), (1, 1));

    let other = json!({ "sku": "alive", "listing_id": shop.agent, "idempotency_key": KEY });
    shop.buy(&other).await.assert_refused(422, "idempotency_key_reused");
    shop.stripe.pay(&shop.registry).await;
    let paid = shop.buy_ok(&body).await;
    assert_eq!((&paid["status"], &paid["access_token"]), (&json!("paid"), &first["access_token"]));
    assert_eq!(shop.get_product(&paid).await.status, 200);
    assert_eq!(shop.stripe.sessions().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_identical_requests_are_one_purchase() {
    let shop = Shop::open().await;
    let body = json!({ "sku": "alive", "listing_id": shop.agent, "idempotency_key": KEY });
    let replies = futures::future::join_all((0..8).map(|_| shop.buy(&body))).await;
    for reply in &replies {
        assert_eq!((reply.status, &reply.body), (200, &replies[0].body), "{reply:?}");
    }
    assert_eq!(shop.stripe.sessions().len(), 1);
    assert_eq!(shop.registry.table().await.items_under("PURCHASE#pur_").len(), 1);
}

/// Stripe's event about a page that was paid in its last second arrives after the page has expired.
#[tokio::test]
async fn key_of_an_ended_purchase_starts_a_new_purchase() {
    let shop = Shop::open().await;
    let body = json!({ "sku": "alive", "listing_id": shop.agent, "idempotency_key": KEY });
    let first = shop.buy_ok(&body).await;
    shop.registry.advance(Duration::from_secs(23 * 3600));
    // The page could have been paid in its last second.
    shop.buy(&body).await.assert_refused(409, "payment_may_follow");
    let ended = shop.stripe.event("expired", &shop.stripe.session(), &json!({ "payment_status": "unpaid" }));
    assert_eq!(shop.receive(&ended).await, "ended");
    let second = shop.buy_ok(&body).await;
    assert_ne!(first["purchase_id"], second["purchase_id"]);
    assert_ne!(first["access_token"], second["access_token"]);
    shop.registry.advance(Duration::from_secs(24 * 3600));
    shop.buy(&body).await.assert_refused(409, "payment_may_follow");
    shop.stripe.pay(&shop.registry).await;
    let same = shop.buy_ok(&body).await;
    assert_eq!((&same["status"], &same["purchase_id"]), (&json!("paid"), &second["purchase_id"]));
    // Without a key, each request is a purchase.
    let keyless = json!({ "sku": "alive", "listing_id": shop.agent });
    let (one, other) = (shop.buy_ok(&keyless).await, shop.buy_ok(&keyless).await);
    assert_ne!(one["purchase_id"], other["purchase_id"]);
    assert_ne!(one["access_token"], other["access_token"]);
    assert_eq!(shop.stripe.sessions().len(), 4);
}

#[tokio::test]
async fn unpaid_purchases_expire() {
    let shop = Shop::open().await;
    let before = shop.registry.table().await;
    shop.buy_ok(&shop.with_code()).await;
    shop.registry.advance(Duration::from_secs(32 * 86_400));
    shop.registry.sweep_expired();
    let table = shop.registry.table().await;
    assert_eq!(table.items_under("PURCHASE#").len(), 0);
    assert_eq!(table.items_under("TOKEN#").len(), before.items_under("TOKEN#").len());
    assert_eq!(shop.buy_ok(&shop.with_code()).await["percent_off"], 25, "the code is not valid again");
}

/// A caller who copies an example must not share a purchase with the next caller who copies it.
#[tokio::test]
async fn published_examples_and_weak_keys_are_refused_as_keys() {
    let shop = Shop::open().await;
    let examples = DESCRIPTIONS.iter().map(|entry| serde_json::from_str::<Value>(entry.example).unwrap());
    let examples: Vec<Value> = examples.map(|example| example["idempotency_key"].clone()).collect();
    let examples: Vec<&str> = examples.iter().filter_map(Value::as_str).collect();
    assert!(!examples.is_empty(), "the test finds no example of a key");
    let weak = ["an-order-of-my-agent-0001", "0123456789abcdef0123456789abcdef", shop.agent.as_str()];
    let keys = examples.iter().map(|key| (*key, "published_example"));
    for (key, code) in keys.chain(weak.map(|key| (key, "bad_idempotency_key"))) {
        let body = json!({ "sku": "kernel", "agent_name": "Ada", "idempotency_key": key });
        shop.buy(&body).await.assert_field_refused(422, code, "idempotency_key");
        let example = DESCRIPTIONS.iter().find(|entry| entry.name == "leave_feedback").unwrap().example;
        let mut feedback: Value = serde_json::from_str(example).unwrap();
        feedback["idempotency_key"] = json!(key);
        shop.registry.post("/api/products/feedback", &feedback).await.assert_refused(422, code);
    }
    // Keys that documents show, wherever they are.
    let documents =
        ["/openapi.json", "/discovery.json", "/skill.json", "/llms-full.txt", "/api/products/checkout"];
    for path in documents {
        let text = shop.registry.get(path).await.body.to_string();
        for (at, name) in text.match_indices("idempotency_key") {
            let value = text[at + name.len()..].trim_start_matches(['\\', '"', ':', ' ']);
            let value: String =
                value.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            if value.len() >= 16 {
                assert!(examples.contains(&value.as_str()), "{path} shows the key {value}; it is accepted");
            }
        }
    }
    assert_eq!(shop.stripe.sessions().len(), 0);
}

#[tokio::test]
async fn same_key_for_another_subject_is_another_purchase() {
    let shop = Shop::open().await;
    let bodies = [
        json!({ "sku": "alive", "listing_id": shop.agent, "idempotency_key": KEY }),
        json!({ "sku": "kernel", "listing_id": shop.agent, "idempotency_key": KEY }),
        json!({ "sku": "alive", "listing_id": shop.server, "idempotency_key": KEY }),
        json!({ "sku": "alive", "agent_name": "Ada", "idempotency_key": KEY }),
        json!({ "sku": "alive", "agent_name": "Bob", "idempotency_key": KEY }),
    ];
    let mut tokens = std::collections::BTreeSet::new();
    for body in &bodies {
        tokens.insert(shop.buy_ok(body).await["access_token"].as_str().unwrap().to_owned());
    }
    assert_eq!((tokens.len(), shop.stripe.sessions().len()), (bodies.len(), bodies.len()));
}
