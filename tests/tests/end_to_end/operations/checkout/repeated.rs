//! Tests repeated checkouts. The same request returns the same purchase, session and token. The buyer is charged once.

use std::time::Duration;

use serde_json::json;

use super::{Shop, assert_refused};

const KEY: &str = "6a0e7f0c-2f5d-4a44-9a0e-6a7b1e1c9d10";

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

    for other in [
        json!({ "sku": "kernel", "listing_id": shop.agent, "goals": ["a", "b"], "idempotency_key": KEY }),
        json!({ "sku": "alive", "listing_id": shop.server, "goals": ["a", "b"], "idempotency_key": KEY }),
        json!({ "sku": "alive", "listing_id": shop.agent, "idempotency_key": KEY }),
    ] {
        assert_refused(&shop.buy(&other).await, 422, "idempotency_key_reused");
    }
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

#[tokio::test]
async fn requests_without_a_key_are_separate_purchases() {
    let shop = Shop::open().await;
    let body = json!({ "sku": "alive", "listing_id": shop.agent });
    let (first, second) = (shop.buy_ok(&body).await, shop.buy_ok(&body).await);
    assert_ne!(first["purchase_id"], second["purchase_id"]);
    assert_ne!(first["access_token"], second["access_token"]);
    assert_ne!(first["checkout_url"], second["checkout_url"]);
    shop.stripe.pay(&shop.registry).await;
    assert_eq!((shop.get_product(&first).await.status, shop.get_product(&second).await.status), (402, 200));
}

#[tokio::test]
async fn key_of_an_ended_purchase_starts_a_new_purchase() {
    let shop = Shop::open().await;
    let body = json!({ "sku": "alive", "listing_id": shop.agent, "idempotency_key": KEY });
    let first = shop.buy_ok(&body).await;
    shop.registry.advance(Duration::from_secs(23 * 3600));
    let second = shop.buy_ok(&body).await;
    assert_ne!(first["purchase_id"], second["purchase_id"]);
    assert_ne!(first["access_token"], second["access_token"]);
    assert_eq!(shop.stripe.sessions().len(), 2);
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
    assert_eq!(
        shop.buy_ok(&shop.with_code()).await["percent_off"],
        25,
        "the code of the expired purchase is not valid"
    );
}
