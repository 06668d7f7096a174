//! Tests a purchase from the request to the product, and the checks of payment events.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use insta::assert_snapshot;
use registry::app::App;
use registry::events::Bus;
use registry::features::products::payments;
use registry::model::Random;
use tests::peers::stripe::{self, Session};
use tests::prelude::*;

use super::Shop;
use crate::fixtures::{item, members, shown, values_of};

#[tokio::test]
async fn product_opens_only_after_payment() {
    let shop = Shop::open().await;
    let body = json!({ "sku": "alive", "listing_id": shop.agent, "goals": ["Answer faster."],
        "contact_email": "buyer@example.org" });
    let bought = shop.buy_ok(&body).await;

    let session = shop.stripe.session();
    let names = [
        "line_items[0][price_data][unit_amount]",
        "client_reference_id",
        "metadata[listing_id]",
        "customer_email",
    ];
    let fields = names.map(|name| session.field(name).to_owned());
    assert!(session.field("success_url").starts_with(&shop.registry.url("/")), "{session:?}");
    let request = shop.stripe.peer.requests().remove(0);
    let refused = shop.get_product(&bought).await;
    refused.assert_refused(402, "not_paid");
    let pending = json!({ "bought": bought, "session": fields, "key": request.header("idempotency-key"),
        "next": refused.body["next"], "status": shop.purchase_status(&bought).await });

    shop.registry.advance(Duration::from_secs(60));
    let paid = shop.stripe.pay(&shop.registry).await;
    let opened = members(&shop.get_product(&bought).await.ok(), &["source", "sku", "granted_at"]);
    let paid =
        json!({ "event": paid.ok(), "product": opened, "status": shop.purchase_status(&bought).await });
    assert_snapshot!(shown(&shop.registry, &json!({ "pending": pending, "paid": paid })));
    // Paid purchases do not expire.
    shop.registry.advance(Duration::from_secs(60 * 86_400));
    shop.registry.sweep_expired();
    assert_ne!(shop.get_product(&bought).await.status, 401);
}

#[tokio::test]
async fn buyer_data_is_neither_stored_nor_published() {
    let shop = Shop::open().await;
    let body = json!({ "sku": "kernel", "agent_name": "Secret Project", "description": "Hush.",
        "contact_email": "buyer@example.org" });
    let bought = shop.buy_ok(&body).await;
    shop.pay().await;
    let opened = shop.get_product(&bought).await.ok();
    assert!(opened["files"].to_string().contains("Secret Project"), "the name is not used");

    let feed = shop.registry.settled("/api/feed").await;
    let latest = json!({ "type": "product_bought", "text": "The Kernel product was bought." });
    assert_members(&feed["items"][0], &latest);
    assert!(!feed.to_string().contains("Secret Project"));
    let table = format!("{:?}", shop.registry.table().await);
    let token = bought["access_token"].as_str().unwrap();
    for (place, text) in [("feed", feed.to_string()), ("table", table)] {
        for hidden in ["buyer@example.org", "A. Buyer", token, stripe::KEY, stripe::WEBHOOK_SECRET] {
            assert!(!text.contains(hidden), "{hidden} is in the {place}");
        }
    }
    let settings = format!("{:?}", shop.registry.app.settings);
    assert!(!settings.contains(stripe::KEY) && !settings.contains(stripe::WEBHOOK_SECRET));
}

#[tokio::test]
async fn repeated_event_changes_nothing() {
    let shop = Shop::open().await;
    let bought = shop.buy_ok(&shop.with_code()).await;
    let session = shop.stripe.session();
    let event = shop.stripe.event("completed", &session, &json!({}));
    let body = event.to_string();
    let signature = stripe::signature(stripe::WEBHOOK_SECRET, shop.registry.now(), &body);
    assert_eq!(stripe::send(&shop.registry, &signature, &body).await.body["received"], "paid");
    let paid = shop.registry.table().await;
    // The same bytes; the same event with a new signature; other events of the same payment.
    let seen = json!({ "ok": true, "received": "seen_before" });
    assert_eq!(stripe::send(&shop.registry, &signature, &body).await.body, seen);
    shop.registry.advance(Duration::from_secs(3600));
    let others = ["async_payment_succeeded", "expired", "async_payment_failed"];
    for event in
        [vec![event], others.map(|what| shop.stripe.event(what, &session, &json!({}))).into()].concat()
    {
        assert_eq!(shop.stripe.deliver(&shop.registry, &event).await.body, seen, "{event}");
    }
    assert_eq!(paid.difference(&shop.registry.table().await), [""; 0]);
    let feed = shop.registry.settled("/api/feed").await["items"].clone();
    assert_eq!(values_of(&feed, "type").iter().filter(|what| *what == "product_bought").count(), 1, "{feed}");
    let text = &item(&feed, "type", "product_bought")["text"];
    assert_eq!(text, "The MCP Mesh product was bought for Adder.");
    assert_eq!(shop.get_product(&bought).await.status, 200);
}

#[tokio::test]
async fn unreadable_events_and_events_not_signed_by_stripe_are_refused() {
    let shop = Shop::open().await;
    let bought = shop.buy_kernel().await;
    let before = shop.registry.table().await;
    let (now, secret) = (shop.registry.now(), stripe::WEBHOOK_SECRET);
    let body = shop.stripe.event("completed", &shop.stripe.session(), &json!({})).to_string();
    let good = stripe::signature(secret, now, &body);
    for (what, signature, sent) in [
        ("the key in the place of the secret", stripe::signature(stripe::KEY, now, &body), body.clone()),
        ("another body", good.clone(), body.replace("evt_1", "evt_2")),
        ("no signature", String::new(), body.clone()),
    ] {
        let reply = stripe::send(&shop.registry, &signature, &sent).await;
        reply.assert_refused(403, "bad_signature");
        assert!(!reply.body.to_string().contains("evt_"), "{what}: {reply:?}");
    }
    let number = json!({ "id": "evt_1", "type": "checkout.session.completed", "data": { "object": 7 } });
    for sent in ["{}", "[]", "nonsense", &number.to_string()] {
        let signature = stripe::signature(secret, now, sent);
        stripe::send(&shop.registry, &signature, sent).await.assert_refused(400, "malformed");
    }
    assert_eq!(before.difference(&shop.registry.table().await), [""; 0]);
    shop.get_product(&bought).await.assert_refused(402, "not_paid");
    assert_eq!(stripe::send(&shop.registry, &good, &body).await.body["received"], "paid");
}

#[tokio::test]
async fn only_payment_of_the_full_price_in_us_dollars_opens_a_product() {
    let shop = Shop::open().await;
    let bought = shop.buy_kernel().await;
    let session = shop.stripe.session();
    for (changed, received) in [
        (json!({ "payment_status": "unpaid" }), "ignored"),
        (json!({ "payment_status": "no_payment_required" }), "ignored"),
        (json!({ "client_reference_id": null }), "ignored"),
        (json!({ "client_reference_id": "order 7 of another shop" }), "ignored"),
        (json!({ "client_reference_id": "pur_000000000000000000000000" }), "ignored"),
        (json!({ "amount_total": 1498 }), "flagged"),
        (json!({ "amount_total": null }), "flagged"),
        (json!({ "currency": "jpy" }), "flagged"),
    ] {
        let event = shop.stripe.event("completed", &session, &changed);
        let reply = shop.stripe.deliver(&shop.registry, &event).await;
        assert_eq!((reply.status, &reply.body["received"]), (200, &json!(received)), "{changed}: {reply:?}");
        assert_eq!(shop.get_product(&bought).await.status, 402, "{changed}");
        shop.registry.advance(Duration::from_secs(1));
    }
    assert_eq!(shop.flags().await, ["wrong_amount"; 3]);
    let foreign = json!({ "id": "evt_x", "type": "invoice.paid", "data": { "object": {} } });
    assert_eq!(shop.receive(&foreign).await, "ignored");
    // The end event of another session does not end this purchase.
    let stray = Session { id: "cs_test_stray".to_owned(), ..session.clone() };
    assert_eq!(shop.receive(&shop.stripe.event("expired", &stray, &json!({}))).await, "ignored");
    let late = shop.stripe.event("async_payment_succeeded", &session, &json!({}));
    assert_eq!(shop.receive(&late).await, "paid");
    assert_eq!(shop.get_product(&bought).await.status, 200);
}

/// A payment that arrives after its refund opens nothing, too.
#[tokio::test]
async fn refund_or_lost_dispute_closes_a_purchase() {
    for (events, flags, status) in [
        (&["pay", "partly"][..], &["partly_refunded"][..], 200),
        (&["pay", "partly", "refund"], &["refunded", "partly_refunded"], 401),
        (&["pay", "dispute"], &["disputed"], 200),
        (&["pay", "dispute", "won"], &["dispute_won", "disputed"], 200),
        (&["pay", "dispute", "lost"], &["dispute_lost", "disputed"], 401),
        (&["refund", "pay"], &["paid_closed", "refunded"], 401),
    ] {
        let shop = Shop::open().await;
        let bought = shop.buy_kernel().await;
        let (stripe, session) = (&shop.stripe, shop.stripe.session());
        for (number, what) in events.iter().enumerate() {
            shop.registry.advance(Duration::from_secs(60));
            let event = match *what {
                "pay" => stripe.event("completed", &session, &json!({})),
                "partly" => stripe.charge("refunded", &session, &json!({ "refunded": false })),
                "refund" => stripe.charge("refunded", &session, &json!({})),
                "dispute" => stripe.dispute("created", &session, "needs_response"),
                status => stripe.dispute("closed", &session, status),
            };
            let received = if number == 0 && *what == "pay" { "paid" } else { "flagged" };
            assert_eq!(shop.receive(&event).await, received, "{what}");
            assert_eq!(shop.receive(&event).await, "seen_before", "{what}");
        }
        assert_eq!(shop.get_product(&bought).await.status, status, "{events:?}");
        assert_eq!(shop.flags().await, flags, "{events:?}");
        let state = if status == 200 { "paid" } else { "closed" };
        assert_eq!(shop.purchase_status(&bought).await, state, "{events:?}");
        let metrics = shop.registry.tick().await["metrics"].clone();
        assert_eq!(metrics["FlaggedPayments"], flags.len(), "{metrics}");
        let of_another =
            stripe.charge("refunded", &session, &json!({ "payment_intent": "pi_x", "metadata": {} }));
        assert_eq!(shop.receive(&of_another).await, "ignored");
    }
}

/// A Payment Link of the same account takes `client_reference_id` from its URL.
#[tokio::test]
async fn payment_on_another_page_or_in_another_mode_opens_nothing() {
    let shop = Shop::open().await;
    let bought = shop.buy_kernel().await;
    let session = shop.stripe.session();
    let stray = Session { id: "cs_test_stray".to_owned(), ..session.clone() };
    assert_eq!(shop.receive(&shop.stripe.event("completed", &stray, &json!({}))).await, "flagged");
    shop.registry.advance(Duration::from_secs(1));
    let mut live = shop.stripe.event("completed", &session, &json!({}));
    live["livemode"] = json!(true);
    assert_eq!(shop.receive(&live).await, "flagged");
    shop.get_product(&bought).await.assert_refused(402, "not_paid");
    shop.registry.advance(Duration::from_secs(1));
    assert_eq!(shop.pay().await, "paid");
    // A second payment of the same purchase.
    assert_eq!(shop.receive(&shop.stripe.event("completed", &stray, &json!({}))).await, "flagged");
    shop.registry.advance(Duration::from_secs(1));
    let refund = shop.stripe.charge("refunded", &session, &json!({ "payment_intent": "pi_second" }));
    assert_eq!(shop.receive(&refund).await, "flagged");
    assert_eq!(shop.get_product(&bought).await.status, 200);
    assert_eq!(shop.flags().await, ["refunded", "paid_twice", "wrong_mode", "wrong_page"]);
}

#[tokio::test]
async fn revoked_purchase_opens_nothing() {
    let shop = Shop::open().await;
    let revoke = |id: &Value| json!({ "command": "revoke_purchase", "purchase_id": id });
    let bought = shop.buy_kernel().await;
    shop.pay().await;
    for changed in [true, false] {
        assert_eq!(shop.command(revoke(&bought["purchase_id"])).await["changed"], changed);
        assert_eq!(shop.get_product(&bought).await.status, 401);
        assert_eq!(shop.purchase_status(&bought).await, "closed");
    }
    // The buyer of a purchase that was revoked while it was unpaid has paid for nothing, so the payment is flagged.
    let unpaid = shop.buy_kernel().await;
    shop.command(revoke(&unpaid["purchase_id"])).await;
    let event = shop.stripe.event("completed", &shop.stripe.session(), &json!({}));
    assert_eq!(shop.receive(&event).await, "flagged");
    assert_eq!(shop.receive(&event).await, "seen_before");
    assert_eq!(shop.flags().await, ["paid_closed"]);
    assert_eq!(shop.get_product(&unpaid).await.status, 401);
    let unknown = revoke(&json!("pur_0123456789abcdef01234567"));
    let error = shop.registry.try_run("operator", unknown).await.unwrap_err();
    assert!(error.starts_with("purchase_not_found"), "{error}");
}

/// On AWS, the function that receives the events cannot read the key.
#[tokio::test]
async fn mode_of_a_payment_is_checked_without_the_key() {
    let shop = Shop::open().await;
    let bought = shop.buy_kernel().await;
    let app = &shop.registry.app;
    let mut settings = app.settings.clone();
    settings.stripe_secret_key = None;
    let (store, clock) = (app.store.clone(), app.clock.clone());
    let webhook = App::new(settings, store, Bus::Silent, clock, Random::seeded(1));
    let session = shop.stripe.session();
    for (is_live, received) in [(json!(true), "flagged"), (Value::Null, "flagged"), (json!(false), "paid")] {
        shop.registry.advance(Duration::from_secs(1));
        let mut event = shop.stripe.event("completed", &session, &json!({}));
        event["livemode"] = is_live;
        let body = event.to_string();
        let signature = stripe::signature(stripe::WEBHOOK_SECRET, shop.registry.now(), &body);
        let outcome = payments::receive(&webhook, Some(&signature), body.as_bytes()).await.unwrap();
        assert_eq!(outcome.as_str(), received, "{event}");
    }
    assert_eq!(shop.flags().await, ["wrong_mode"; 2]);
    assert_eq!(shop.get_product(&bought).await.status, 200);
}

#[tokio::test]
async fn bought_product_stays_when_its_listing_is_demoted_or_withdrawn() {
    let shop = Shop::open().await;
    let body = json!({ "sku": "alive", "listing_id": shop.agent, "goals": ["Answer in Portuguese"] });
    let bought = shop.buy_ok(&body).await;
    shop.pay().await;
    let before = shop.get_product(&bought).await.body;
    // A failed probe may have emptied its texts.
    for (name, value) in [("lane", "demoted"), ("description", "Changed.")] {
        let value = AttributeValue::S(value.to_owned());
        shop.registry.overwrite(&format!("LISTING#{}", shop.agent), "CORE", name, value).await;
    }
    assert_eq!(shop.get_product(&bought).await.body["files"], before["files"]);
    shop.registry.withdraw(&shop.agent, "Spam.").await;
    let another = shop.buy(&json!({ "sku": "kernel", "listing_id": shop.agent })).await;
    another.assert_refused(404, "listing_not_found");
    assert_eq!(another.body["next"]["action"], "check_status", "not to publish it again: {another:?}");
    let after = shop.get_product(&bought).await.ok();
    assert_eq!(after["files"], before["files"]);
    assert!(after["files"].to_string().contains("Answer in Portuguese"));
    // Items of earlier versions have no snapshot.
    let purchase = format!("PURCHASE#{}", bought["purchase_id"].as_str().unwrap());
    shop.registry.overwrite(&purchase, "PURCHASE", "snapshot", AttributeValue::S(String::new())).await;
    shop.get_product(&bought).await.assert_refused(410, "listing_withdrawn");
}
