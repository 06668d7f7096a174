//! Stripe or the table fails, at every step of a purchase in turn: nothing is charged or half written, and the same
//! request succeeds afterwards.

use local::engine::instrumented::Fault;
use serde_json::{Value, json};
use tests::peers::stripe::{Failing, Stripe};
use tests::test_registry::TestOptions;

use super::{Shop, assert_refused};

/// More than the SDK and a transaction try.
const FOR_GOOD: usize = 30;

const FAULTS: [Fault; 3] = [Fault::Throttle, Fault::Timeout, Fault::ServiceError];

/// The same request, so that it may be sent again: by a key, and by a code.
fn repeatable(shop: &Shop) -> [Value; 2] {
    let key = json!({ "sku": "alive", "listing_id": shop.agent, "idempotency_key": "6a0e7f0c-2f5d-4a44" });
    [key, shop.with_code()]
}

/// Buys again what failed before, pays it and opens it.
async fn succeeds(shop: &Shop, body: &Value, what: &str) -> Value {
    let bought = shop.bought(body).await;
    assert_eq!(shop.opens(&bought).await.status, 402, "{what}");
    let paid = shop.stripe.pay(&shop.registry).await;
    assert_eq!(paid.body["received"], "paid", "{what}: {paid:?}");
    assert_eq!(shop.opens(&bought).await.status, 200, "{what}");
    bought
}

#[tokio::test]
async fn where_stripe_fails_nothing_is_charged_and_the_same_request_succeeds_later() {
    for (status, told) in [(500, 503), (503, 503), (401, 502), (400, 502)] {
        let shop = Shop::open().await;
        for body in repeatable(&shop) {
            let what = format!("{status} to {body}");
            shop.stripe.fail(Failing::Status(status));
            let reply = shop.buy(&body).await;
            let code = if told == 503 { "payments_unavailable" } else { "payments_refused" };
            assert_refused(&reply, told, code);
            assert_eq!(reply.header("retry-after").is_empty(), told == 502, "{what}");
            for inside in ["Stripe", "api_error", "sk_", "http"] {
                assert!(!reply.body["detail"].as_str().unwrap().contains(inside), "{what}: {reply:?}");
            }
            shop.stripe.fail(Failing::Never);
            succeeds(&shop, &body, &what).await;
        }
    }
}

#[tokio::test]
async fn a_purchase_that_stripe_failed_at_leaves_nothing_behind() {
    let shop = Shop::open().await;
    let before = shop.registry.table().await;
    shop.stripe.fail(Failing::Status(500));
    assert_refused(&shop.buy(&shop.with_code()).await, 503, "payments_unavailable");
    let after = shop.registry.table().await.without(&["PURCHASE#REPEAT#"]);
    assert_eq!(before.difference(&after), [""; 0]);
}

#[tokio::test]
async fn an_answer_of_stripe_that_was_lost_is_asked_for_again_and_makes_no_second_page() {
    let shop = Shop::open().await;
    for (number, body) in repeatable(&shop).iter().enumerate() {
        shop.stripe.fail(Failing::AnswerLost);
        assert_refused(&shop.buy(body).await, 503, "payments_unavailable");
        assert_refused(&shop.buy(body).await, 503, "payments_unavailable");
        shop.stripe.fail(Failing::Never);
        succeeds(&shop, body, "an answer was lost").await;
        assert_eq!(shop.stripe.sessions().len(), number + 1);
    }
}

#[tokio::test]
async fn a_stripe_that_is_too_busy_is_asked_again_for_the_same_purchase() {
    for status in [409, 429] {
        let shop = Shop::open().await;
        let [body, _] = repeatable(&shop);
        shop.stripe.fail(Failing::Status(status));
        assert_refused(&shop.buy(&body).await, 503, "payments_unavailable");
        shop.stripe.fail(Failing::Never);
        succeeds(&shop, &body, "busy").await;
        let keys: Vec<_> = shop
            .stripe
            .peer
            .requests()
            .iter()
            .map(|asked| asked.header("idempotency-key").map(str::to_owned))
            .collect();
        assert_eq!(keys[0], keys[1], "{status}");
    }
}

#[tokio::test]
async fn a_stripe_that_hangs_is_not_waited_for_longer_than_a_function_lives() {
    let shop = Shop::open().await;
    let [body, _] = repeatable(&shop);
    shop.stripe.fail(Failing::Hanging);
    let asked = std::time::Instant::now();
    assert_refused(&shop.buy(&body).await, 503, "payments_unavailable");
    assert!(asked.elapsed().as_secs() < 20, "{:?}", asked.elapsed());
    shop.stripe.fail(Failing::Never);
    succeeds(&shop, &body, "it hung").await;
    assert_eq!(shop.stripe.sessions().len(), 1);
}

#[tokio::test]
async fn a_stripe_that_cannot_be_reached_charges_nothing() {
    let stripe = Stripe::start().await;
    let options = stripe.options(TestOptions::default()).with_setting("STRIPE_API_URL", "http://127.0.0.1:1");
    let shop = Shop::open_at(stripe, options).await;
    for body in repeatable(&shop) {
        let reply = shop.buy(&body).await;
        assert_refused(&reply, 503, "payments_unavailable");
        assert!(!reply.body.to_string().contains("127.0.0.1:1"), "{reply:?}");
    }
    assert_eq!(shop.stripe.sessions().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_fails_before_stripe_is_asked_keeps_it_from_being_asked() {
    for fault in FAULTS {
        for operation in ["GetItem", "TransactWriteItems"] {
            let shop = Shop::open_with(TestOptions::default().without_read_cache()).await;
            let [_, body] = repeatable(&shop);
            let before = shop.registry.table().await;
            shop.registry.observer.faults.arm(operation, fault, FOR_GOOD);
            assert_refused(&shop.buy(&body).await, 503, "busy");
            shop.registry.observer.faults.disarm();
            assert_eq!(before.difference(&shop.registry.table().await), [""; 0], "{fault:?} at {operation}");
            assert_eq!(shop.stripe.peer.requests().len(), 0, "{fault:?} at {operation}");
            succeeds(&shop, &body, "after a fault").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_fails_after_stripe_was_asked_shows_nobody_a_page_that_it_does_not_know() {
    for fault in FAULTS {
        let shop = Shop::open().await;
        for (number, body) in repeatable(&shop).iter().enumerate() {
            // As if the process had ended between Stripe's answer and the note of it.
            let faults = shop.registry.observer.faults.clone();
            shop.stripe.when_asked(move || faults.arm("TransactWriteItems", fault, FOR_GOOD));
            let reply = shop.buy(body).await;
            assert_refused(&reply, 503, "busy");
            assert!(!reply.body.to_string().contains("checkout.stripe.com"), "{reply:?}");
            shop.registry.observer.faults.disarm();
            shop.stripe.when_asked(|| {});
            succeeds(&shop, body, &format!("{fault:?}")).await;
            assert_eq!(shop.stripe.sessions().len(), number + 1, "{fault:?}: the same page");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_whose_answer_was_lost_is_not_done_twice() {
    let shop = Shop::open().await;
    let bodies = [json!({ "sku": "kernel", "agent_name": "Ada" }), shop.with_code()];
    for (number, body) in bodies.iter().enumerate() {
        shop.registry.observer.faults.arm("TransactWriteItems", Fault::AnswerLost, 1);
        let bought = shop.bought(body).await;
        assert_eq!(shop.registry.table().await.items_under("PURCHASE#pur_").len(), number + 1);
        shop.registry.observer.faults.arm("TransactWriteItems", Fault::AnswerLost, 1);
        let said = shop.stripe.pay(&shop.registry).await;
        assert_eq!(said.status, 200, "{said:?}");
        assert_eq!(shop.opens(&bought).await.status, 200);
    }
    assert_eq!(shop.stripe.sessions().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_meets_a_fault_is_sent_again_by_stripe_and_then_acted_on() {
    for fault in FAULTS {
        for operation in ["GetItem", "TransactWriteItems"] {
            let shop = Shop::open_with(TestOptions::default().without_read_cache()).await;
            let bought = shop.bought(&shop.with_code()).await;
            let before = shop.registry.table().await;
            let event = shop.stripe.event("completed", &shop.stripe.session(), &json!({}));
            shop.registry.observer.faults.arm(operation, fault, FOR_GOOD);
            assert_refused(&shop.stripe.deliver(&shop.registry, &event).await, 503, "busy");
            shop.registry.observer.faults.disarm();
            assert_eq!(before.difference(&shop.registry.table().await), [""; 0], "{fault:?} at {operation}");
            assert_eq!(shop.stripe.deliver(&shop.registry, &event).await.body["received"], "paid");
            assert_eq!(shop.opens(&bought).await.status, 200);
        }
    }
}
