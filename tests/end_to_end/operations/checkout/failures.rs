//! Tests purchases in which Stripe or the table fails, at each step. No money is charged and no partial data
//! is written. Afterwards the same request succeeds.

use tests::peers::stripe::Failing;
use tests::prelude::*;

use super::{KEY, Shop};

/// More failures than the retries of the SDK and of a transaction.
const MORE_THAN_RETRIES: usize = 30;

const FAULTS: [Fault; 3] = [Fault::Throttle, Fault::Timeout, Fault::ServiceError];

/// Requests that can be sent again: one with an idempotency key, one with a discount code.
fn repeatable(shop: &Shop) -> [Value; 2] {
    [json!({ "sku": "alive", "listing_id": shop.agent, "idempotency_key": KEY }), shop.with_code()]
}

/// Repeats a purchase that failed before, pays for it and opens the product.
async fn buy_and_open(shop: &Shop, body: &Value, what: &str) -> Value {
    let bought = shop.buy_ok(body).await;
    assert_eq!(shop.get_product(&bought).await.status, 402, "{what}");
    let paid = shop.stripe.pay(&shop.registry).await;
    assert_eq!(paid.body["received"], "paid", "{what}: {paid:?}");
    assert_eq!(shop.get_product(&bought).await.status, 200, "{what}");
    bought
}

#[tokio::test]
async fn same_request_succeeds_after_a_stripe_failure() {
    for (status, returned) in [(500, 503), (409, 503), (429, 503), (401, 502)] {
        let shop = Shop::open().await;
        for body in repeatable(&shop) {
            let what = format!("{status} to {body}");
            let before = shop.registry.table().await.without(&["PURCHASE#REPEAT#"]);
            shop.stripe.fail(Failing::Status(status));
            let reply = shop.buy(&body).await;
            // If Stripe is busy, the purchase stays: the same key is sent again.
            let is_kept = matches!(status, 409 | 429);
            let after = shop.registry.table().await.without(&["PURCHASE#REPEAT#"]);
            assert_eq!(before.difference(&after).is_empty(), !is_kept, "{what}");
            let code = if returned == 503 { "payments_unavailable" } else { "payments_refused" };
            reply.assert_refused(returned, code);
            assert_eq!(reply.header("retry-after").is_empty(), returned == 502, "{what}");
            let data = json!({ "operation": "checkout", "arguments": body });
            let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "data": data }] });
            let message = json!({ "message": message });
            let error = shop.registry.rpc("/api/a2a", "SendMessage", message).await["error"].clone();
            let details = error["data"].as_array().unwrap().iter();
            let codes: Vec<&Value> = details.filter_map(|detail| detail["value"].get("code")).collect();
            assert_eq!(codes, [&json!(code)], "{what}: the error of A2A has no problem document: {error}");
            for internal in ["Stripe", "api_error", "sk_", "http"] {
                assert!(!reply.body["detail"].as_str().unwrap().contains(internal), "{what}: {reply:?}");
            }
            shop.stripe.fail(Failing::Never);
            buy_and_open(&shop, &body, &what).await;
        }
    }
}

#[tokio::test]
async fn no_second_session_is_created_if_stripes_answer_is_lost() {
    let shop = Shop::open().await;
    for (number, body) in repeatable(&shop).iter().enumerate() {
        shop.stripe.fail(Failing::AnswerLost);
        shop.buy(body).await.assert_refused(503, "payments_unavailable");
        shop.buy(body).await.assert_refused(503, "payments_unavailable");
        shop.stripe.fail(Failing::Never);
        buy_and_open(&shop, body, "an answer was lost").await;
        assert_eq!(shop.stripe.sessions().len(), number + 1);
    }
}

#[tokio::test]
async fn call_to_a_hanging_stripe_ends_before_the_function_times_out() {
    let shop = Shop::open().await;
    let [body, _] = repeatable(&shop);
    shop.stripe.fail(Failing::Hanging);
    let started = std::time::Instant::now();
    shop.buy(&body).await.assert_refused(503, "payments_unavailable");
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    shop.stripe.fail(Failing::Never);
    buy_and_open(&shop, &body, "it hung").await;
    assert_eq!(shop.stripe.sessions().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn stripe_gets_no_request_if_the_table_fails_first() {
    for fault in FAULTS {
        for operation in ["GetItem", "TransactWriteItems"] {
            let shop = Shop::open().await;
            let [_, body] = repeatable(&shop);
            let before = shop.registry.table().await;
            let buying = shop.buy(&body);
            let refused = shop.registry.with_fault(operation, fault, MORE_THAN_RETRIES, buying).await;
            refused.assert_refused(503, "busy");
            assert_eq!(before.difference(&shop.registry.table().await), [""; 0], "{fault:?} at {operation}");
            assert_eq!(shop.stripe.peer.requests().len(), 0, "{fault:?} at {operation}");
            buy_and_open(&shop, &body, "after a fault").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn checkout_returns_no_url_if_the_table_fails_after_stripe() {
    for fault in FAULTS {
        let shop = Shop::open().await;
        for (number, body) in repeatable(&shop).iter().enumerate() {
            // As if the process had ended after Stripe's answer and before it was stored.
            let faults = shop.registry.observer.faults.clone();
            shop.stripe.when_asked(move || faults.arm("TransactWriteItems", fault, MORE_THAN_RETRIES));
            let reply = shop.buy(body).await;
            reply.assert_refused(503, "busy");
            assert!(!reply.body.to_string().contains("checkout.stripe.com"), "{reply:?}");
            shop.registry.observer.faults.disarm();
            shop.stripe.when_asked(|| {});
            buy_and_open(&shop, body, &format!("{fault:?}")).await;
            assert_eq!(shop.stripe.sessions().len(), number + 1, "{fault:?}: a second session was created");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn write_is_not_done_twice_if_its_answer_is_lost() {
    let shop = Shop::open().await;
    let bodies = [json!({ "sku": "kernel", "agent_name": "Ada" }), shop.with_code()];
    for (number, body) in bodies.iter().enumerate() {
        shop.registry.observer.faults.arm("TransactWriteItems", Fault::AnswerLost, 1);
        let bought = shop.buy_ok(body).await;
        assert_eq!(shop.registry.table().await.items_under("PURCHASE#pur_").len(), number + 1);
        shop.registry.observer.faults.arm("TransactWriteItems", Fault::AnswerLost, 1);
        shop.stripe.pay(&shop.registry).await.ok();
        assert_eq!(shop.get_product(&bought).await.status, 200);
    }
    assert_eq!(shop.stripe.sessions().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn event_that_failed_is_handled_at_its_next_delivery() {
    for fault in FAULTS {
        for operation in ["GetItem", "TransactWriteItems"] {
            let shop = Shop::open().await;
            let bought = shop.buy_ok(&shop.with_code()).await;
            let before = shop.registry.table().await;
            let event = shop.stripe.event("completed", &shop.stripe.session(), &json!({}));
            let delivery = shop.stripe.deliver(&shop.registry, &event);
            let refused = shop.registry.with_fault(operation, fault, MORE_THAN_RETRIES, delivery).await;
            refused.assert_refused(503, "busy");
            assert_eq!(before.difference(&shop.registry.table().await), [""; 0], "{fault:?} at {operation}");
            assert_eq!(shop.stripe.deliver(&shop.registry, &event).await.body["received"], "paid");
            assert_eq!(shop.get_product(&bought).await.status, 200);
        }
    }
}
