//! Tests purchases in which Stripe or the table fails, at each step. No money is charged and no partial data
//! is written. Afterwards the same request succeeds.

use tests::peers::stripe::Failing;
use tests::prelude::*;

use super::Shop;

/// More failures than the retries of the SDK and of a transaction.
const MORE_THAN_RETRIES: usize = 30;

const FAULTS: [Fault; 3] = [Fault::Throttle, Fault::Timeout, Fault::ServiceError];

/// Repeats a purchase that failed before, pays for it and opens the product. No second session was created.
async fn buy_and_open(shop: &Shop, body: &Value, sessions: usize, what: &str) {
    let bought = shop.buy_ok(body).await;
    assert_eq!(shop.get_product(&bought).await.status, 402, "{what}");
    assert_eq!(shop.pay().await, "paid", "{what}");
    assert_eq!(shop.get_product(&bought).await.status, 200, "{what}");
    assert_eq!(shop.stripe.sessions().len(), sessions, "{what}");
}

#[tokio::test]
async fn same_request_succeeds_after_a_stripe_failure() {
    for (status, returned) in [(500, 503), (409, 503), (429, 503), (401, 502)] {
        let shop = Shop::open().await;
        for (number, body) in [shop.with_key(), shop.with_code()].iter().enumerate() {
            let what = format!("{status} to {body}");
            let before = shop.registry.table().await.without(&["PURCHASE#REPEAT#"]);
            shop.stripe.fail(Failing::Status(status));
            let reply = shop.buy(body).await;
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
            buy_and_open(&shop, body, number + 1, &what).await;
        }
    }
}

/// The answer of Stripe is lost, or does not arrive before the function would time out.
#[tokio::test]
async fn no_second_session_is_created_if_the_answer_of_stripe_is_lost() {
    let shop = Shop::open().await;
    let attempts = [(shop.with_key(), Failing::AnswerLost), (shop.with_code(), Failing::Hanging)];
    for (number, (body, failing)) in attempts.iter().enumerate() {
        let started = std::time::Instant::now();
        for failing in [*failing, Failing::AnswerLost] {
            shop.stripe.fail(failing);
            shop.buy(body).await.assert_refused(503, "payments_unavailable");
        }
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
        shop.stripe.fail(Failing::Never);
        buy_and_open(&shop, body, number + 1, &format!("{failing:?}")).await;
    }
}

/// Stripe gets no request, and an event is handled at its next delivery.
#[tokio::test(flavor = "multi_thread")]
async fn request_or_event_changes_nothing_if_the_table_fails_first() {
    for fault in FAULTS {
        for operation in ["GetItem", "TransactWriteItems"] {
            let (shop, what) = (Shop::open().await, format!("{fault:?} at {operation}"));
            let before = shop.registry.table().await;
            let body = shop.with_code();
            let buying = shop.buy(&body);
            let refused = shop.registry.with_fault(operation, fault, MORE_THAN_RETRIES, buying).await;
            refused.assert_refused(503, "busy");
            assert_eq!(before.difference(&shop.registry.table().await), [""; 0], "{what}");
            assert_eq!(shop.stripe.peer.requests().len(), 0, "{what}");

            let bought = shop.buy_ok(&body).await;
            let before = shop.registry.table().await;
            let event = shop.stripe.event("completed", &shop.stripe.session(), &json!({}));
            let delivery = shop.stripe.deliver(&shop.registry, &event);
            let refused = shop.registry.with_fault(operation, fault, MORE_THAN_RETRIES, delivery).await;
            refused.assert_refused(503, "busy");
            assert_eq!(before.difference(&shop.registry.table().await), [""; 0], "{what}");
            assert_eq!(shop.receive(&event).await, "paid", "{what}");
            assert_eq!(shop.get_product(&bought).await.status, 200, "{what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn checkout_returns_no_url_if_the_table_fails_after_stripe() {
    for fault in FAULTS {
        let shop = Shop::open().await;
        for (number, body) in [shop.with_key(), shop.with_code()].iter().enumerate() {
            // As if the process had ended after Stripe's answer and before it was stored.
            let faults = shop.registry.observer.faults.clone();
            shop.stripe.when_asked(move || faults.arm("TransactWriteItems", fault, MORE_THAN_RETRIES));
            let reply = shop.buy(body).await;
            reply.assert_refused(503, "busy");
            assert!(!reply.body.to_string().contains("checkout.stripe.com"), "{reply:?}");
            shop.registry.observer.faults.disarm();
            shop.stripe.when_asked(|| {});
            buy_and_open(&shop, body, number + 1, &format!("{fault:?}")).await;
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
        assert_eq!(shop.stored_purchases().await, number + 1);
        shop.registry.observer.faults.arm("TransactWriteItems", Fault::AnswerLost, 1);
        assert_eq!((shop.pay().await, shop.get_product(&bought).await.status), (json!("paid"), 200));
    }
    assert_eq!(shop.stripe.sessions().len(), 2);
}
