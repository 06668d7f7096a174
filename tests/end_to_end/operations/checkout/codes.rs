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
    shop.stripe.pay(&shop.registry).await;
    assert_eq!(shop.get_product(&bought).await.status, 200);

    for again in [
        json!({ "sku": "kernel", "listing_id": shop.server, "code": shop.code }),
        json!({ "sku": "mcp_mesh", "listing_id": shop.server, "code": shop.code, "idempotency_key": KEY }),
    ] {
        shop.buy(&again).await.assert_field_refused(409, "code_used", "code");
    }
    // The original request returns the existing purchase and does not sell a second one.
    let same = shop.buy_ok(&shop.with_code()).await;
    assert_eq!((&same["status"], &same["access_token"]), (&json!("paid"), &bought["access_token"]));
    assert_eq!(same["next"]["action"], "get_access");
    assert_eq!(shop.stripe.sessions().len(), 1);
}

#[tokio::test]
async fn unknown_code_and_code_of_another_listing_get_different_errors() {
    let shop = Shop::open().await;
    for (body, code) in [
        (json!({ "sku": "alive", "listing_id": shop.agent, "code": shop.code }), "code_of_another"),
        (json!({ "sku": "alive", "agent_name": "Ada", "code": shop.code }), "code_of_another"),
        (
            json!({ "sku": "alive", "listing_id": shop.agent, "code": "D25-AAAAA-AAAAA-AAAAA-AAAAA" }),
            "unknown_code",
        ),
    ] {
        shop.buy(&body).await.assert_field_refused(422, code, "code");
    }
    assert_eq!(shop.stripe.sessions().len(), 0);
    // The code is still valid, in upper or lower case.
    let body = json!({ "sku": "kernel", "listing_id": shop.server, "code": shop.code.to_lowercase() });
    assert_eq!(shop.buy_ok(&body).await["price_cents"], 1124);
}

#[tokio::test]
async fn discount_code_is_reserved_until_its_purchase_ends() {
    let shop = Shop::open().await;
    let first = shop.buy_ok(&shop.with_code()).await;
    let other = json!({ "sku": "alive", "listing_id": shop.server, "code": shop.code });
    let held = shop.buy(&other).await;
    held.assert_refused(409, "code_held");
    assert!(held.body["held_until"].is_string(), "{held:?}");
    let foreign = json!({ "sku": "alive", "listing_id": shop.agent, "code": shop.code });
    shop.buy(&foreign).await.assert_refused(422, "code_of_another");

    let ended = shop.stripe.event("expired", &shop.stripe.session(), &json!({ "payment_status": "unpaid" }));
    assert_eq!(shop.receive(&ended).await, "ended");
    assert_eq!(shop.purchase_status(&first).await, "expired");
    let second = shop.buy_ok(&other).await;
    assert_eq!((&second["price_cents"], &second["percent_off"]), (&json!(2249), &json!(25)));
    let ids = |bought: &Value| [bought["purchase_id"].clone(), bought["access_token"].clone()];
    assert_ne!(ids(&second), ids(&first));
    // A repeated end event of the first purchase does not release the hold of the second.
    shop.stripe.deliver(&shop.registry, &ended).await;
    shop.buy(&shop.with_code()).await.assert_refused(409, "code_held");
    shop.stripe.pay(&shop.registry).await;
    assert_eq!((shop.get_product(&second).await.status, shop.get_product(&first).await.status), (200, 402));
    shop.buy(&shop.with_code()).await.assert_refused(409, "code_used");
}

#[tokio::test]
async fn reserved_code_can_be_used_again_if_no_payment_event_arrives() {
    let shop = Shop::open().await;
    let first = shop.buy_ok(&shop.with_code()).await;
    // Its own key, so that it is not a repetition of the first request.
    let other =
        json!({ "sku": "alive", "listing_id": shop.server, "code": shop.code, "idempotency_key": KEY });
    // Stripe repeats an event for three days.
    shop.registry.advance(Duration::from_secs((23 + 72) * 3600));
    shop.buy(&other).await.assert_refused(409, "code_held");
    shop.registry.advance(Duration::from_secs(2 * 3600));
    let second = shop.buy_ok(&other).await;
    // A still later event opens the paid product and uses the code up, so that it opens no second one.
    let late = shop.stripe.event("completed", &shop.stripe.sessions()[0], &json!({}));
    assert_eq!(shop.receive(&late).await, "paid");
    assert_eq!(shop.get_product(&first).await.status, 200);
    assert_eq!(shop.stripe.pay(&shop.registry).await.body["received"], "flagged");
    assert_eq!(shop.get_product(&second).await.status, 402);
    assert_eq!(shop.flags().await, ["code_not_valid"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_concurrent_uses_of_a_code_succeeds() {
    let shop = Shop::open().await;
    let bodies: Vec<_> = (0..8)
        .map(|number| {
            json!({ "sku": "mcp_mesh", "listing_id": shop.server, "code": shop.code,
                "idempotency_key": format!("{number}c9e6679-7425-40de-944b-e07fc1f90ae7") })
        })
        .collect();
    let replies = futures::future::join_all(bodies.iter().map(|body| shop.buy(body))).await;
    let won = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!((won, shop.stripe.sessions().len()), (1, 1), "{replies:?}");
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        reply.assert_refused(409, "code_held");
    }
    assert_eq!(shop.registry.table().await.items_under("PURCHASE#pur_").len(), 1);
}

#[tokio::test]
async fn code_can_be_reissued_until_a_purchase_uses_it() {
    let shop = Shop::open().await;
    let peer = Peer::start(agents::newest).await;
    let id = shop.registry.live_card(&peer.card()).await;
    let mut draft = shop.registry.draft(&id).await;
    let feedback = async |draft: &Value| shop.registry.post("/api/products/feedback", draft).await;
    let lost = feedback(&draft).await.body["discount"]["code"].clone();
    draft["reissue"] = json!(true);
    let reissued = feedback(&draft).await.body["discount"]["code"].clone();
    assert_ne!(reissued, lost);
    let purchase_with = |code: &Value| json!({ "sku": "alive", "listing_id": id, "code": code });
    shop.buy(&purchase_with(&lost)).await.assert_refused(422, "unknown_code");

    let bought = shop.buy_ok(&purchase_with(&reissued)).await;
    feedback(&draft).await.assert_refused(409, "reward_spent");
    shop.stripe.pay(&shop.registry).await;
    feedback(&draft).await.assert_refused(409, "reward_spent");
    assert_eq!(shop.get_product(&bought).await.status, 200);
}
