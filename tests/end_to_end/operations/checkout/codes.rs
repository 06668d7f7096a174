//! Tests discount codes at the checkout. A code is valid for one purchase, and only for the listing that got
//! the code for its feedback.

use std::time::Duration;

use tests::prelude::*;

use super::{KEY, Shop};

#[tokio::test]
async fn discount_code_takes_25_percent_off_once() {
    let shop = Shop::open().await;
    let bought = shop.buy_ok(&shop.with_code()).await;
    assert_members(&bought, &json!({ "price_cents": 1874, "price": "$18.74", "percent_off": 25 }));
    assert_eq!(shop.stripe.session().field("line_items[0][price_data][unit_amount]"), "1874");
    shop.pay().await;
    assert_eq!(shop.get_product(&bought).await.status, 200);

    for change in [json!({ "sku": "kernel" }), json!({ "idempotency_key": KEY })] {
        let again = with_members(shop.with_code(), &change);
        shop.buy(&again).await.assert_field_refused(409, "code_used", "code");
    }
    // The original request returns the existing purchase and does not sell a second one.
    let same =
        json!({ "status": "paid", "access_token": bought["access_token"], "/next/action": "get_access" });
    assert_members(&shop.buy_ok(&shop.with_code()).await, &same);
    assert_eq!(shop.stripe.sessions().len(), 1);
}

#[tokio::test]
async fn unknown_code_and_code_of_another_listing_get_different_errors() {
    let shop = Shop::open().await;
    for (change, code) in [
        (json!({ "listing_id": shop.agent }), "code_of_another"),
        (json!({ "listing_id": null, "agent_name": "Ada" }), "code_of_another"),
        (json!({ "code": "D25-AAAAA-AAAAA-AAAAA-AAAAA" }), "unknown_code"),
    ] {
        let body = with_members(shop.with_code(), &change);
        shop.buy(&body).await.assert_field_refused(422, code, "code");
    }
    assert_eq!(shop.stripe.sessions().len(), 0);
    // The code is still valid, in upper or lower case.
    let lowercase = with_members(shop.with_code(), &json!({ "code": shop.code.to_lowercase() }));
    assert_eq!(shop.buy_ok(&lowercase).await["price_cents"], 1874);
}

#[tokio::test]
async fn discount_code_is_reserved_until_its_purchase_ends() {
    let shop = Shop::open().await;
    let first = shop.buy_ok(&shop.with_code()).await;
    let other = with_members(shop.with_code(), &json!({ "sku": "alive" }));
    let held = shop.buy(&other).await;
    held.assert_refused(409, "code_held");
    assert!(held.body["held_until"].is_string(), "{held:?}");
    let foreign = with_members(other.clone(), &json!({ "listing_id": shop.agent }));
    shop.buy(&foreign).await.assert_refused(422, "code_of_another");

    let ended = shop.stripe.event("expired", &shop.stripe.session(), &json!({ "payment_status": "unpaid" }));
    assert_eq!(shop.receive(&ended).await, "ended");
    assert_eq!(shop.purchase_status(&first).await, "expired");
    let second = shop.buy_ok(&other).await;
    assert_members(&second, &json!({ "price_cents": 2249, "percent_off": 25 }));
    for member in ["purchase_id", "access_token"] {
        assert_ne!(second[member], first[member], "{member}");
    }
    // A repeated end event of the first purchase does not release the hold of the second.
    shop.receive(&ended).await;
    shop.buy(&shop.with_code()).await.assert_refused(409, "code_held");
    shop.pay().await;
    assert_eq!((shop.get_product(&second).await.status, shop.get_product(&first).await.status), (200, 402));
    shop.buy(&shop.with_code()).await.assert_refused(409, "code_used");
}

#[tokio::test]
async fn reserved_code_can_be_used_again_if_no_payment_event_arrives() {
    let shop = Shop::open().await;
    let first = shop.buy_ok(&shop.with_code()).await;
    // Its own key, so that it is not a repetition of the first request.
    let other = with_members(shop.with_code(), &json!({ "sku": "alive", "idempotency_key": KEY }));
    // Stripe repeats an event for three days.
    shop.registry.advance(Duration::from_secs((23 + 72) * 3600));
    shop.buy(&other).await.assert_refused(409, "code_held");
    shop.registry.advance(Duration::from_secs(2 * 3600));
    let second = shop.buy_ok(&other).await;
    // A still later event opens the paid product and uses the code up, so that it opens no second one.
    let late = shop.stripe.event("completed", &shop.stripe.sessions()[0], &json!({}));
    assert_eq!((shop.receive(&late).await, shop.pay().await), (json!("paid"), json!("flagged")));
    assert_eq!((shop.get_product(&first).await.status, shop.get_product(&second).await.status), (200, 402));
    assert_eq!(shop.flags().await, ["code_not_valid"]);
}

#[tokio::test]
async fn code_can_be_reissued_until_a_purchase_uses_it() {
    let shop = Shop::open().await;
    let peer = Peer::start(agents::newest).await;
    let id = shop.registry.live_card(&peer.card()).await;
    let draft = shop.registry.draft(&id).await;
    let reissue = with_members(draft.clone(), &json!({ "reissue": true }));
    let lost = shop.registry.feedback(&draft).await.body["discount"]["code"].clone();
    let reissued = shop.registry.feedback(&reissue).await.body["discount"]["code"].clone();
    assert_ne!(reissued, lost);
    let purchase_with = |code: &Value| json!({ "sku": "alive", "listing_id": id, "code": code });
    shop.buy(&purchase_with(&lost)).await.assert_refused(422, "unknown_code");

    let bought = shop.buy_ok(&purchase_with(&reissued)).await;
    shop.registry.feedback(&reissue).await.assert_refused(409, "reward_spent");
    shop.pay().await;
    shop.registry.feedback(&reissue).await.assert_refused(409, "reward_spent");
    assert_eq!(shop.get_product(&bought).await.status, 200);
}
