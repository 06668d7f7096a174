//! Tests repeated checkouts. The same request returns the same purchase, session and token. The buyer is charged once.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;
use registry::features::DESCRIPTIONS;
use tests::prelude::*;

use super::Shop;

#[tokio::test]
async fn same_request_with_the_same_key_is_one_purchase() {
    let shop = Shop::open().await;
    let body = with_members(shop.with_key(), &json!({ "goals": ["a", "b"] }));
    let first = shop.buy_ok(&body).await;
    shop.registry.advance(Duration::from_secs(22 * 3600));
    // The same goals in another notation.
    let again = with_members(shop.with_key(), &json!({ "goals": "a\n b" }));
    assert_eq!(shop.buy_ok(&again).await, first);
    assert_eq!((shop.stripe.sessions().len(), shop.stripe.peer.requests().len()), (1, 1));

    shop.buy(&shop.with_key()).await.assert_refused(422, "idempotency_key_reused");
    shop.pay().await;
    let paid = shop.buy_ok(&body).await;
    assert_members(&paid, &json!({ "status": "paid", "access_token": first["access_token"] }));
    assert_eq!(shop.get_product(&paid).await.status, 200);
    assert_eq!(shop.stripe.sessions().len(), 1);
}

/// Copies of a request, requests with one code, and copies of an event.
#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_concurrent_requests_has_an_effect() {
    let shop = Shop::open().await;
    let copies = vec![shop.with_key(); 8];
    let replies = join_all(copies.iter().map(|body| shop.buy(body))).await;
    for reply in &replies {
        assert_eq!((reply.status, &reply.body), (200, &replies[0].body), "{reply:?}");
    }
    assert_eq!((shop.stripe.sessions().len(), shop.stored_purchases().await), (1, 1));

    let key =
        |number: u8| json!({ "idempotency_key": format!("{number}c9e6679-7425-40de-944b-e07fc1f90ae7") });
    let with_code: Vec<Value> = (0..8).map(|number| with_members(shop.with_code(), &key(number))).collect();
    let replies = join_all(with_code.iter().map(|body| shop.buy(body))).await;
    let (won, lost): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 200);
    lost.iter().for_each(|reply| reply.assert_refused(409, "code_held"));
    assert_eq!((won.len(), shop.stripe.sessions().len(), shop.stored_purchases().await), (1, 2, 2));

    let event = shop.stripe.event("completed", &shop.stripe.session(), &json!({}));
    let replies = join_all((0..8).map(|_| shop.stripe.deliver(&shop.registry, &event))).await;
    assert!(replies.iter().all(|reply| reply.status == 200), "{replies:?}");
    let paid = replies.iter().filter(|reply| reply.body["received"] == "paid").count();
    assert_eq!((paid, shop.get_product(&won[0].body).await.status), (1, 200), "{replies:?}");
}

/// Stripe's event about a page that was paid in its last second arrives after the page has expired.
#[tokio::test]
async fn key_of_an_ended_purchase_starts_a_new_purchase() {
    let shop = Shop::open().await;
    let body = shop.with_key();
    let first = shop.buy_ok(&body).await;
    shop.registry.advance(Duration::from_secs(23 * 3600));
    // The page could have been paid in its last second.
    shop.buy(&body).await.assert_refused(409, "payment_may_follow");
    let ended = shop.stripe.event("expired", &shop.stripe.session(), &json!({ "payment_status": "unpaid" }));
    assert_eq!(shop.receive(&ended).await, "ended");
    let second = shop.buy_ok(&body).await;
    shop.registry.advance(Duration::from_secs(24 * 3600));
    shop.buy(&body).await.assert_refused(409, "payment_may_follow");
    shop.pay().await;
    let same = json!({ "status": "paid", "purchase_id": second["purchase_id"] });
    assert_members(&shop.buy_ok(&body).await, &same);
    // Without a key, each request is a purchase.
    let keyless = json!({ "sku": "alive", "listing_id": shop.agent });
    let purchases = [first, second, shop.buy_ok(&keyless).await, shop.buy_ok(&keyless).await];
    for member in ["purchase_id", "access_token"] {
        let different: BTreeSet<String> = purchases.iter().map(|bought| bought[member].to_string()).collect();
        assert_eq!(different.len(), 4, "{member}: {different:?}");
    }
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
    let examples: Vec<Value> =
        DESCRIPTIONS.iter().map(|entry| serde_json::from_str(entry.example).unwrap()).collect();
    let keys: Vec<&str> = examples.iter().filter_map(|example| example["idempotency_key"].as_str()).collect();
    assert!(!keys.is_empty(), "the test finds no example of a key");
    let at = DESCRIPTIONS.iter().position(|entry| entry.name == "leave_feedback").unwrap();
    let weak = ["an-order-of-my-agent-0001", "0123456789abcdef0123456789abcdef", shop.agent.as_str()];
    let published = keys.iter().map(|key| (*key, "published_example"));
    for (key, code) in published.chain(weak.map(|key| (key, "bad_idempotency_key"))) {
        let key = json!({ "idempotency_key": key });
        let purchase = shop.buy(&with_members(shop.with_key(), &key)).await;
        let feedback = shop.registry.feedback(&with_members(examples[at].clone(), &key)).await;
        for reply in [purchase, feedback] {
            reply.assert_field_refused(422, code, "idempotency_key");
        }
    }
    // Keys that documents show, wherever they are.
    for path in ["/openapi.json", "/discovery.json", "/skill.json", "/llms-full.txt", super::PATH] {
        let text = shop.registry.get(path).await.body.to_string();
        for (at, name) in text.match_indices("idempotency_key") {
            let value = text[at + name.len()..].trim_start_matches(['\\', '"', ':', ' ']);
            let value = value.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap();
            assert!(
                value.len() < 16 || keys.contains(&value),
                "{path} shows the key {value}; it is accepted"
            );
        }
    }
    assert_eq!(shop.stripe.sessions().len(), 0);
}

#[tokio::test]
async fn same_key_for_another_subject_is_another_purchase() {
    let shop = Shop::open().await;
    let mut tokens = BTreeSet::new();
    for subject in [
        json!({}),
        json!({ "sku": "kernel" }),
        json!({ "listing_id": shop.server }),
        json!({ "listing_id": null, "agent_name": "Ada" }),
        json!({ "listing_id": null, "agent_name": "Bob" }),
    ] {
        let bought = shop.buy_ok(&with_members(shop.with_key(), &subject)).await;
        tokens.insert(bought["access_token"].to_string());
    }
    assert_eq!((tokens.len(), shop.stripe.sessions().len()), (5, 5));
}
